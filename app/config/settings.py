"""Settings, read once from the environment. `.env.example` is made from this class."""

from pathlib import Path

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from kernel.errors import ConfigurationError


class Settings(BaseSettings):
    """Where this installation lives and listens. Everything else is configuration or ledger."""

    model_config = SettingsConfigDict(env_prefix="ODEU_", extra="ignore", frozen=True)

    data: Path = Field(
        Path("data"),
        description="The folder that holds everything: database, keys, repositories, run folders. "
        "Only its owner may read it.",
    )
    host: str = Field(
        "127.0.0.1",
        description="Address to listen on. Anything but loopback also needs ODEU_PUBLIC_ORIGIN with https.",
    )
    port: int = Field(8765, ge=0, le=65535, description="Port to listen on; 0 takes a free one.")
    database_url: str = Field(
        "",
        description="Database: sqlite:///path, or postgresql://user@host/name; empty means an SQLite file in "
        "ODEU_DATA.",
    )
    config: str = Field(
        "",
        description="Configuration of repositories, runtimes, validators and profiles; empty means odeu.toml "
        "in ODEU_DATA.",
    )
    public_origin: str = Field(
        "",
        description="The origin that browsers use: https, or exact loopback; empty means http on ODEU_HOST "
        "and ODEU_PORT.",
    )

    oidc_issuer: str = Field(
        "",
        description="Sign-in through an OpenID provider: its issuer, exactly as it spells itself; https, or http on "
        "exact loopback. Empty means none.",
    )
    oidc_client_id: str = Field("", description="The name that the provider knows this server under.")
    oidc_label: str = Field(
        "", max_length=60, description="What the button says of the provider; empty means its host."
    )
    oidc_client_secret_file: str = Field(
        "",
        description="A file of mode 0600 with the client secret, instead of ODEU_OIDC_CLIENT_SECRET; neither means a "
        "public client.",
    )

    @property
    def data_folder(self) -> Path:
        """Return the data folder as an absolute path without links: private folders refuse to lie behind one."""
        return self.data.resolve()

    @property
    def database(self) -> str:
        """Return the database address in force."""
        return self.database_url or f"sqlite:///{self.data_folder / 'odeu.sqlite3'}"

    @property
    def config_file(self) -> Path:
        """Return the configuration file in force."""
        return Path(self.config).absolute() if self.config else self.data_folder / "odeu.toml"

    @property
    def origin(self) -> str:
        """Return the public origin in force."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return self.public_origin or f"http://{host}:{self.port}"


def read_settings() -> Settings:
    """Return the settings of this process's environment.

    Raises: ConfigurationError that names each variable that does not read.
    """
    try:
        return Settings()
    except ValidationError as error:
        wrong = (
            f"{Settings.model_config['env_prefix']}{'_'.join(map(str, item['loc'])).upper()} is "
            f"{str(item['input'])!r:.80}: {item['msg']}"
            for item in error.errors()
        )
        raise ConfigurationError("; ".join(wrong)) from error
