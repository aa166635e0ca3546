package io.sluice.replicator.sources.mysql.preflight;

import io.sluice.config.LakeTarget;
import io.sluice.evolution.PlannedTable;

/** A captured table and what becomes of it. */
public record PlannedSourceTable(CatalogTable source, LakeTarget target, PlannedTable plan) {}
