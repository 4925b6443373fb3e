"""Settings: what is in force here. Roles, one's own ways to sign in and sessions change here, see `account`."""

from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.routes.shelling import Place, page_response, shell_for
from app.routes.visiting import PageVisitor, Visitor
from app.services.access import OWNER
from app.services.doctor import Looking, examine
from app.services.studio import Studio
from app.views.building.account import NOTHING, Entry, Known, Ways
from app.views.building.settings import Configured, Looked, SigningKey, settings_page
from app.views.building.world import project_names
from app.web.origin import FLOW_COOKIE
from kernel.vocabulary import Role

router: Final = APIRouter(include_in_schema=False)


@router.get("/settings")
def settings(request: Request, visitor: PageVisitor) -> Response:
    """Show what is in force here. People, tokens and keys are for owners."""
    return settings_response(request, visitor)


def settings_response(
    request: Request, visitor: Visitor, entry: Entry = NOTHING, status: int = 200
) -> Response:
    """Return the page, with what was typed and refused in one of its forms."""
    studio = visitor.studio
    is_owner = visitor.role(studio.world_id) is Role.OWNER
    page = settings_page(
        shell_for(request, visitor, Place("Settings", "/settings")),
        studio.desk.state(studio.world_id) if is_owner else None,
        _configured(studio),
        known=_known(visitor),
        ways=_ways(request, visitor),
        entry=entry,
        keys=_keys(studio),
        looked=_looked(studio, request.app.state.looking),
    )
    return page_response(request, "settings/page.html", page, status)


def _configured(studio: Studio) -> Configured:
    registry = studio.registry
    return Configured(
        file=studio.settings.config_file.name,
        digest=registry.digest,
        manager=studio.placements.manager.facts,
        repositories=registry.repositories,
        runtimes=tuple(place.facts for place in registry.runtimes),
        validators=registry.validators,
        profiles=registry.profiles,
        problems=registry.problems,
    )


def _known(visitor: Visitor) -> Known:
    directory = visitor.studio.directory
    states = visitor.studio.projects.seen_by(visitor.person.id)
    is_owner = visitor.role(visitor.studio.world_id) is Role.OWNER
    return Known(
        me=visitor.person.id,
        session_id=visitor.session.id,
        people=directory.people(),
        memberships=directory.memberships(),
        sessions=directory.sessions(visitor.person.id, visitor.studio.clock.now()),
        tokens=directory.operator_tokens(),
        titles=project_names(states),
        governed=tuple(
            state.ledger for state in states if is_owner or visitor.role(state.ledger) is Role.OWNER
        ),
        is_owner=is_owner,
        lasting=OWNER,
        seen=directory.last_seen(),
    )


def _ways(request: Request, visitor: Visitor) -> Ways:
    ways, secret = visitor.studio.sign_in, request.cookies.get(FLOW_COOKIE)
    offered = None if secret is None else ways.flows.kept(secret, visitor.studio.clock.now())
    return Ways(
        password=ways.credentials.password(visitor.person.id),
        accounts=ways.credentials.identities(visitor.person.id),
        provider="" if ways.provider is None else ways.provider.label,
        offered=None if offered is None or ways.credentials.linked(offered) is not None else offered,
    )


def _keys(studio: Studio) -> tuple[SigningKey, ...]:
    revoked = {key_id for key_id, _ in studio.keys.revoked()}
    return tuple(
        SigningKey(key.role, key.key_id, key.created_at, key.key_id in revoked)
        for key in studio.keys.public_keys()
    )


def _looked(studio: Studio, looking: Looking) -> Looked:
    machine, checked = looking.look()
    facts = studio.settings
    return Looked(
        sandbox=machine.sandbox,
        findings=tuple(
            (item.name, item.is_fine, item.detail, item.cure or "") for item in examine(studio, machine)
        ),
        environment=(
            ("ODEU_DATA", str(facts.data)),
            ("ODEU_HOST", facts.host),
            ("ODEU_PORT", str(facts.port)),
            ("ODEU_DATABASE_URL", "Set" if facts.database_url else "Not set: SQLite in the data folder"),
            ("ODEU_CONFIG", facts.config or "Not set: odeu.toml in the data folder"),
            ("ODEU_OIDC_ISSUER", facts.oidc_issuer or "Not set: no sign-in provider"),
            ("ODEU_PUBLIC_ORIGIN", facts.public_origin or f"Not set: {facts.origin}"),
        ),
        checked=checked,
        at=studio.clock.now(),
    )
