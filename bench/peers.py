"""What the PyPI package `eventsourcing` does with the same events: the peer that append and replay stand beside.

It gets the same payloads on the same settings: SQLite with WAL and FULL sync, PostgreSQL with every COMMIT synced; and,
for replay, its own AES cipher, since our texts are encrypted too. What it does per event when it appends is one row
in one table, indexed twice: no hash, no tree, no signature, no encryption. It comes with the development set of
packages; without it, its rows are left out.
"""

import base64
import importlib.util
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import orjson
from sqlalchemy.engine import make_url

from kernel.events.envelope import Event, event_bytes, openings_of

_SAVE: Final = 500


def installed() -> bool:
    """Tell whether the peer is here."""
    return importlib.util.find_spec("eventsourcing") is not None


def speaks_postgres() -> bool:
    """Tell whether the peer is here with what it needs for PostgreSQL, the package psycopg-pool."""
    return installed() and importlib.util.find_spec("psycopg_pool") is not None


def recording(folder: Path, payloads: Sequence[bytes]) -> Callable[[], object]:
    """Return a way to append the next payload, one acknowledged event at a time, by the peer's recorder."""
    return recording_many(folder, [payloads])[0]


def recording_many(folder: Path, streams: Sequence[Sequence[bytes]]) -> list[Callable[[], object]]:
    """Return such a way per stream, each an aggregate of its own in one database; they may run at once."""
    from eventsourcing.sqlite import SQLiteApplicationRecorder, SQLiteDatastore

    datastore = SQLiteDatastore(str(folder / "recorder.db"))
    recorder = SQLiteApplicationRecorder(datastore)
    recorder.create_table()
    with datastore.transaction(commit=False) as cursor:
        cursor.execute("PRAGMA synchronous")
        (level,) = cursor.fetchone()
        assert level == 2, "the peer must sync at every commit, as we do"  # noqa: PLR2004 - FULL
    return [_inserting(recorder, payloads) for payloads in streams]


@contextmanager
def recording_in_postgres(
    url: str, streams: Sequence[Sequence[bytes]]
) -> Iterator[list[Callable[[], object]]]:
    """Yield such ways on a PostgreSQL database, a connection for each stream."""
    from eventsourcing.postgres import PostgresApplicationRecorder, PostgresDatastore

    place = make_url(url)
    with PostgresDatastore(
        str(place.database), str(place.query["host"]), "", str(place.username), "", pool_size=len(streams)
    ) as datastore:
        recorder = PostgresApplicationRecorder(datastore)
        recorder.create_table()
        with datastore.transaction() as cursor:
            cursor.execute("SHOW synchronous_commit")
            assert cursor.fetchone() == {"synchronous_commit": "on"}, "the peer must sync at every commit"
        yield [_inserting(recorder, payloads) for payloads in streams]


def _inserting(recorder: Any, payloads: Sequence[bytes]) -> Callable[[], object]:  # noqa: ANN401 - either recorder
    from eventsourcing.persistence import StoredEvent

    origin, waiting = uuid4(), iter(enumerate(payloads, 1))

    def append() -> None:
        version, payload = next(waiting)
        recorder.insert_events([StoredEvent(origin, version, "bench:Event", payload)])

    return append


def rehydrating(folder: Path, events: Sequence[Event]) -> Callable[[], object]:
    """Return a way to rehydrate one aggregate that was given the same bodies and texts as our ledger."""
    from eventsourcing.application import Application
    from eventsourcing.domain import Aggregate, event

    class Project(Aggregate):
        """Keeps each record by its event's id: the least a state can do."""

        def __init__(self) -> None:
            self.records: dict[str, Any] = {}

        @event("Recorded")
        def record(self, kind: str, event_id: str, body: dict[str, Any], texts: dict[str, str]) -> None:
            self.records[event_id] = (kind, body, texts)

    app = Application[Any](
        env={
            "PERSISTENCE_MODULE": "eventsourcing.sqlite",
            "SQLITE_DBNAME": str(folder / "aggregate.db"),
            "CIPHER_TOPIC": "eventsourcing.cryptography:AESCipher",
            "CIPHER_KEY": base64.b64encode(bytes(32)).decode(),
        }
    )
    project = Project()
    for number, item in enumerate(events):
        body = orjson.loads(event_bytes(item))["body"]
        texts = {commitment: opening.text for commitment, opening in openings_of(item).items()}
        project.record(item.type, item.id, body, texts)
        if number % _SAVE == _SAVE - 1:
            app.save(project)
    app.save(project)

    def rehydrate() -> object:
        found = app.repository.get(project.id)
        assert len(found.records) == len(events)
        return found

    return rehydrate
