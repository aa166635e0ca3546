package io.sluice.replicator.messages.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.registry.SchemaId.Kind;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SchemaRegistryTest {

  private final StagedRegistry server = new StagedRegistry();

  @AfterEach
  void close() {
    server.close();
  }

  private SchemaRegistry client(URI... urls) {
    return new SchemaRegistry(RegistrySettings.of(List.of(urls)));
  }

  @Test
  void givesASchemaByItsIdAndAsksForItOnce() throws Exception {
    server.schema(7, "\"long\"");
    SchemaRegistry client = client(server.url());
    RegisteredSchema schema = client.schema(SchemaId.number(7));
    assertThat(schema)
        .isEqualTo(new RegisteredSchema(SchemaId.number(7), "AVRO", "\"long\"", List.of()));
    assertThat(client.schema(SchemaId.number(7))).isSameAs(schema);
    assertThat(server.requests()).containsExactly("/schemas/ids/7");
  }

  @Test
  void tellsTheTypeOfASchemaThatIsNotAvro() throws Exception {
    server.stage("/schemas/ids/1", 200, "{\"schemaType\":\"PROTOBUF\",\"schema\":\"syntax\"}");
    assertThat(client(server.url()).schema(SchemaId.number(1)).type()).isEqualTo("PROTOBUF");
  }

  @Test
  void givesASchemaByItsGuid() throws Exception {
    UUID guid = new UUID(-5, 9);
    server.stage("/schemas/guids/" + guid, 200, "{\"schema\":\"\\\"int\\\"\"}");
    SchemaId id =
        new SchemaId(Kind.GUID, guid.getMostSignificantBits(), guid.getLeastSignificantBits());
    assertThat(client(server.url()).schema(id).text()).isEqualTo("\"int\"");
  }

  @Test
  void callsAGuidBadWhenTheRegistryKnowsNoGuidsAtAll() {
    server.always(404, "{\"error_code\":404,\"message\":\"HTTP 404 Not Found\"}");
    assertThatThrownBy(() -> client(server.url()).schema(new SchemaId(Kind.GUID, 1, 2)))
        .isInstanceOf(BadMessageException.class);
    server.always(404, "<html>");
    assertThatThrownBy(() -> client(server.url()).schema(new SchemaId(Kind.GUID, 1, 2)))
        .isInstanceOf(RegistryUnavailableException.class);
  }

  @Test
  void givesReferencesAfterThoseThatTheyNeedThemselves() throws Exception {
    server
        .stage(
            "/schemas/ids/3",
            200,
            "{\"schema\":\"S\",\"references\":[{\"name\":\"a\",\"subject\":\"a b/c\",\"version\":2},"
                + "{\"name\":\"d\",\"subject\":\"d\",\"version\":1}]}")
        .stage(
            "/subjects/a%20b%2Fc/versions/2?deleted=true",
            200,
            "{\"schema\":\"A\",\"references\":[{\"name\":\"d\",\"subject\":\"d\",\"version\":1}]}")
        .stage("/subjects/d/versions/1?deleted=true", 200, "{\"schema\":\"D\"}");
    assertThat(client(server.url()).schema(SchemaId.number(3)).references())
        .containsExactly("D", "A");
  }

  @Test
  void comesToAnEndWhenReferencesGoInACircle() throws Exception {
    server
        .stage(
            "/schemas/ids/3",
            200,
            "{\"schema\":\"S\",\"references\":[{\"name\":\"a\",\"subject\":\"a\",\"version\":1}]}")
        .stage(
            "/subjects/a/versions/1?deleted=true",
            200,
            "{\"schema\":\"A\",\"references\":[{\"name\":\"a\",\"subject\":\"a\",\"version\":1}]}");
    assertThat(client(server.url()).schema(SchemaId.number(3)).references()).containsExactly("A");
  }

  @Test
  void callsAReferenceThatIsMissingAnIncompleteMessage() {
    server.stage(
        "/schemas/ids/3",
        200,
        "{\"schema\":\"S\",\"references\":[{\"name\":\"a\",\"subject\":\"gone\",\"version\":1}]}");
    BadMessageException bad =
        catchThrowableOfType(
            BadMessageException.class, () -> client(server.url()).schema(SchemaId.number(3)));
    assertThat(bad.reason()).isEqualTo(Reason.INCOMPLETE);
    assertThat(bad).hasMessageContaining("gone");
  }

  @Test
  void callsAnUnknownIdABadMessage() {
    BadMessageException bad =
        catchThrowableOfType(
            BadMessageException.class, () -> client(server.url()).schema(SchemaId.number(9)));
    assertThat(bad.reason()).isEqualTo(Reason.MALFORMED);
    assertThat(bad).hasMessage("the registry has no schema 9.");
  }

  @Test
  void callsApicuriosWordForAnUnknownIdABadMessage() {
    server.stage(
        "/apis/registry/v2/ids/globalIds/9",
        404,
        "{\"message\":\"No artifact\",\"error_code\":404,\"name\":\"ArtifactNotFoundException\"}");
    assertThatThrownBy(
            () ->
                client(server.url().resolve("/apis/ccompat/v7"))
                    .schema(new SchemaId(Kind.APICURIO_GLOBAL, 0, 9)))
        .isInstanceOf(BadMessageException.class);
  }

  @Test
  void blamesTheUrlWhenWhoeverAnswers404IsNoRegistry() {
    for (String body :
        List.of("<html>no such page</html>", "", "{\"error_code\":404,\"message\":\"HTTP 404\"}")) {
      server.always(404, body);
      assertThatThrownBy(() -> client(server.url()).schema(SchemaId.number(1)))
          .as(body)
          .isInstanceOf(RegistryUnavailableException.class)
          .hasMessageContaining("check the URL's path");
    }
  }

  @Test
  void isUnavailableByEveryStatusThatSaysNothingAboutTheSchema() {
    for (int status : List.of(301, 400, 401, 403, 408, 429, 500, 502, 503, 504)) {
      server.always(status, "{\"error_code\":40403,\"message\":\"because\"}");
      assertThatThrownBy(() -> client(server.url()).schema(SchemaId.number(1)))
          .isInstanceOf(RegistryUnavailableException.class)
          .hasMessageContaining("answered " + status + " (because)");
    }
    server.always(401, "{}");
    assertThatThrownBy(() -> client(server.url()).schema(SchemaId.number(1)))
        .hasMessageContaining("user and password or token");
  }

  @Test
  void isUnavailableWhenA200IsNoSchema() {
    for (String body :
        List.of("<html>", "", "{}", "[]", "{\"schema\":7}", "{\"schema\":", "\"text\"")) {
      server.always(200, body);
      assertThatThrownBy(() -> client(server.url()).schema(SchemaId.number(1)))
          .as(body)
          .isInstanceOf(RegistryUnavailableException.class)
          .hasMessageContaining("is it the registry's URL?");
    }
  }

  @Test
  void keepsNothingOfAFailureAndGivesTheSchemaOnceItCan() throws Exception {
    SchemaRegistry client = client(server.url());
    server.schema(1, "\"int\"").always(503, "{}");
    assertThatThrownBy(() -> client.schema(SchemaId.number(1)))
        .isInstanceOf(RegistryUnavailableException.class);
    server.always(0, null);
    assertThat(client.schema(SchemaId.number(1)).text()).isEqualTo("\"int\"");
  }

  @Test
  void triesTheNextUrlAndStaysWithTheOneThatAnswered() throws Exception {
    server.schema(1, "\"int\"").schema(2, "\"long\"");
    try (StagedRegistry down = new StagedRegistry();
        ServerSocket deaf = new ServerSocket(0)) {
      int closedPort = deaf.getLocalPort();
      deaf.close();
      down.always(500, "{}");
      SchemaRegistry client =
          client(URI.create("http://127.0.0.1:" + closedPort), down.url(), server.url());
      assertThat(client.schema(SchemaId.number(1)).text()).isEqualTo("\"int\"");
      assertThat(client.schema(SchemaId.number(2)).text()).isEqualTo("\"long\"");
      assertThat(down.requests()).containsExactly("/schemas/ids/1");
    }
  }

  @Test
  void namesEveryUrlAndItsFaultWhenNoneAnswers() throws Exception {
    server.always(500, "{}");
    try (ServerSocket deaf = new ServerSocket(0)) {
      int closedPort = deaf.getLocalPort();
      deaf.close();
      assertThatThrownBy(
              () ->
                  client(URI.create("http://127.0.0.1:" + closedPort), server.url())
                      .schema(SchemaId.number(1)))
          .isInstanceOf(RegistryUnavailableException.class)
          .hasMessageContaining("http://127.0.0.1:" + closedPort)
          .hasMessageContaining("ConnectException")
          .hasMessageContaining(server.url() + "/schemas/ids/1 answered 500");
    }
  }

  @Test
  void waitsNoLongerThanTheTimeoutForAHeadOrForTheRestOfABody() throws Exception {
    server.stageEndless("/schemas/ids/1", "{\"schema\":\"\\\"int\\\"\"}");
    RegistrySettings settings = RegistrySettings.of(List.of(server.url()));
    SchemaRegistry client = new SchemaRegistry(quick(settings));
    assertThatThrownBy(() -> client.schema(SchemaId.number(1)))
        .isInstanceOf(RegistryUnavailableException.class)
        .hasMessageContaining("no whole answer in PT0.2S");
    try (ServerSocket silent = new ServerSocket(0)) {
      URI url = URI.create("http://127.0.0.1:" + silent.getLocalPort());
      assertThatThrownBy(
              () ->
                  new SchemaRegistry(quick(RegistrySettings.of(List.of(url))))
                      .schema(SchemaId.number(1)))
          .isInstanceOf(RegistryUnavailableException.class);
    }
  }

  private static RegistrySettings quick(RegistrySettings settings) {
    return new RegistrySettings(
        settings.urls(),
        settings.login(),
        settings.idLayout(),
        Duration.ofMillis(200),
        Duration.ofMillis(200),
        settings.schemasMax(),
        null);
  }

  @Test
  void refusesAnAnswerThatIsTooLarge() {
    server.stage("/schemas/ids/1", 200, "{\"schema\":\"" + "x".repeat(17 << 20) + "\"}");
    assertThatThrownBy(() -> client(server.url()).schema(SchemaId.number(1)))
        .isInstanceOf(RegistryUnavailableException.class)
        .hasMessageContaining("more than 16777216 bytes");
  }

  @Test
  void makesItselfKnownByUserAndPasswordOrByToken() throws Exception {
    server.schema(1, "\"int\"");
    RegistrySettings settings = RegistrySettings.of(List.of(server.url()));
    new SchemaRegistry(settings).schema(SchemaId.number(1));
    new SchemaRegistry(settings.withLogin(new RegistryLogin.Basic("ann", "s3c:ret")))
        .schema(SchemaId.number(1));
    new SchemaRegistry(settings.withLogin(new RegistryLogin.Bearer("abc")))
        .schema(SchemaId.number(1));
    assertThat(server.logins()).containsExactly("null", "Basic YW5uOnMzYzpyZXQ=", "Bearer abc");
  }

  @Test
  void showsNoSecretInAnyText() {
    RegistrySettings settings =
        RegistrySettings.of(List.of(server.url()))
            .withLogin(new RegistryLogin.Basic("ann", "s3cret"));
    assertThat(settings.toString()).contains("ann").doesNotContain("s3cret");
    assertThat(new RegistryLogin.Bearer("s3cret").toString()).doesNotContain("s3cret");
    assertThatThrownBy(() -> RegistrySettings.of(List.of(URI.create("http://ann:s3cret@h:1"))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("s3cret");
  }

  @Test
  void refusesUrlsThatAreNone() {
    for (String url : List.of("localhost:8081", "ftp://h", "http:///x", "http://h?x=1")) {
      assertThatThrownBy(() -> RegistrySettings.of(List.of(URI.create(url))))
          .as(url)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(url);
    }
    assertThatThrownBy(() -> RegistrySettings.of(List.of()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void keepsAsManySchemasAsItMayAndForgetsTheOneNotUsedForLongest() throws Exception {
    for (int id = 1; id <= 3; id++) {
      server.schema(id, "\"int\"");
    }
    RegistrySettings settings = RegistrySettings.of(List.of(server.url()));
    SchemaRegistry client =
        new SchemaRegistry(
            new RegistrySettings(
                settings.urls(),
                settings.login(),
                settings.idLayout(),
                settings.connectTimeout(),
                settings.answerTimeout(),
                2,
                null));
    for (int id : List.of(1, 2, 1, 3, 1, 2)) {
      client.schema(SchemaId.number(id));
    }
    assertThat(server.requests())
        .containsExactly("/schemas/ids/1", "/schemas/ids/2", "/schemas/ids/3", "/schemas/ids/2");
  }

  @Test
  void asksApicuriosOwnInterfaceForItsIds() throws Exception {
    server
        .stage("/r/apis/registry/v2/ids/contentIds/5", 200, "{\"type\":\"record\"}")
        .stage(
            "/r/apis/registry/v2/ids/contentIds/5/references",
            200,
            "[{\"groupId\":\"g h\",\"artifactId\":\"a\",\"version\":\"1\",\"name\":\"n\"}]")
        .stage("/r/apis/registry/v2/groups/g%20h/artifacts/a/versions/1", 200, "\"int\"")
        .stage("/r/apis/registry/v2/groups/g%20h/artifacts/a/versions/1/references", 200, "[]")
        .stage("/r/apis/registry/v2/ids/globalIds/6", 200, "\"long\"")
        .stage("/r/apis/registry/v2/ids/globalIds/6/references", 200, "[]");
    SchemaRegistry client = client(server.url().resolve("/r/apis/ccompat/v7/"));
    RegisteredSchema byContent = client.schema(new SchemaId(Kind.APICURIO_CONTENT, 0, 5));
    assertThat(byContent.text()).isEqualTo("{\"type\":\"record\"}");
    assertThat(byContent.references()).containsExactly("\"int\"");
    assertThat(client.schema(new SchemaId(Kind.APICURIO_GLOBAL, 0, 6)).text())
        .isEqualTo("\"long\"");
  }

  @Test
  void givesUpWhenItsThreadIsToStop() {
    server.stageEndless("/schemas/ids/1", "{\"schema\":\"\\\"int\\\"\"}");
    Thread.currentThread().interrupt();
    try {
      assertThatThrownBy(() -> client(server.url()).schema(SchemaId.number(1)))
          .isInstanceOf(RegistryUnavailableException.class);
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }
}
