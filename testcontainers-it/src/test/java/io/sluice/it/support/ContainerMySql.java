package io.sluice.it.support;

import io.sluice.replicator.demo.servers.ServerKind;
import io.sluice.replicator.demo.servers.ServerUnavailableException;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import java.util.ArrayList;
import java.util.List;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.mysql.MySQLContainer;
import org.testcontainers.utility.DockerImageName;

/** MySQL in a container, for machines that have a Docker engine and no native MySQL. */
final class ContainerMySql implements ThrowawayServer {
  private static final List<String> ARGUMENTS =
      List.of(
          "--server-id=4711",
          "--log-bin=binlog",
          "--binlog-format=ROW",
          "--binlog-row-image=FULL",
          "--binlog-row-metadata=FULL",
          "--gtid-mode=ON",
          "--enforce-gtid-consistency=ON",
          "--skip-name-resolve");

  private MySQLContainer container;
  private final String image;
  private String version = "";

  private ContainerMySql(String image) {
    this.image = image;
  }

  static ThrowawayServer start(ServerUnavailableException reason, String... extraArguments) {
    if (!DockerClientFactory.instance().isDockerAvailable()) {
      throw new ServerUnavailableException(
          reason.getMessage()
              + "\nNor is there a Docker engine. Set SLUICE_MYSQL_HOME to an unpacked MySQL, or SLUICE_TEST_MYSQL=none to leave its"
              + " tests out.",
          reason);
    }
    ContainerMySql server =
        new ContainerMySql(System.getenv().getOrDefault("SLUICE_MYSQL_IMAGE", "mysql:8.4"));
    server.start(extraArguments);
    return server;
  }

  @Override
  public void start(String... extraArguments) {
    List<String> command = new ArrayList<>(ARGUMENTS);
    command.addAll(List.of(extraArguments));
    // The container's data live as long as the container: a second start goes on with the same one.
    if (container == null) {
      container =
          new MySQLContainer(DockerImageName.parse(image).asCompatibleSubstituteFor("mysql"))
              .withUsername("root")
              .withPassword("")
              .withEnv("MYSQL_ALLOW_EMPTY_PASSWORD", "yes")
              .withEnv("MYSQL_ROOT_HOST", "%")
              .withCommand(command.toArray(String[]::new));
      container.start();
      try (var connection = connect("");
          var statement = connection.createStatement()) {
        statement.execute("CREATE USER cdc@'%' IDENTIFIED BY 'cdc'");
        statement.execute(
            "GRANT SELECT, RELOAD, SHOW DATABASES, REPLICATION SLAVE, REPLICATION CLIENT, LOCK TABLES ON *.* TO cdc@'%'");
        version = connection.getMetaData().getDatabaseProductVersion();
      } catch (java.sql.SQLException e) {
        throw new ServerUnavailableException(
            "the container of " + image + " does not take the account cdc: " + e.getMessage(), e);
      }
    } else if (extraArguments.length > 0) {
      throw new ServerUnavailableException(
          "a container keeps the arguments that it was started with; this test needs a native MySQL");
    } else {
      container.getDockerClient().startContainerCmd(container.getContainerId()).exec();
    }
  }

  @Override
  public ServerKind kind() {
    return ServerKind.MYSQL;
  }

  @Override
  public String host() {
    return container.getHost();
  }

  @Override
  public int port() {
    return container.getMappedPort(MySQLContainer.MYSQL_PORT);
  }

  @Override
  public String version() {
    return version;
  }

  @Override
  public void stop() {
    container.getDockerClient().stopContainerCmd(container.getContainerId()).exec();
  }

  @Override
  public void kill() {
    container.getDockerClient().killContainerCmd(container.getContainerId()).exec();
  }

  @Override
  public void close() {
    if (container != null) {
      container.stop();
    }
  }
}
