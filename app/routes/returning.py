"""A page that was asked for without a session: the way back to it after signing in, and what was typed meanwhile."""

import re
from typing import Final
from urllib.parse import quote, unquote

from fastapi import HTTPException, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from app.routes.shelling import outside_shell
from app.routes.visiting import FIELDS_MAX, WORDS_MAX
from app.views.errors import ErrorPage, KeptText
from app.views.parts import Link
from app.web.templating import render_page

BACK_COOKIE: Final = "odeu_back"
"""The address on this origin that was asked for, for ten minutes."""
_BACK_S: Final = 600
_ADDRESS_MAX: Final = 1500
_SAFE: Final = re.compile(r"/(?![/\\])[!-\[\]-~]*", re.ASCII)
_TYPED: Final = {
    "text": "Your words",
    "title": "Title",
    "description": "Description",
    "reason": "Reason",
    "rationale": "Why",
    "corrections": "Corrections",
}


def way_back(request: Request) -> str:
    """Return the address that was asked for before signing in, or the World; never one of another origin."""
    address = unquote(request.cookies.get(BACK_COOKIE, ""))
    is_safe = len(address) <= _ADDRESS_MAX and _SAFE.fullmatch(address) is not None
    return address if is_safe else "/"


async def sign_in_first(request: Request) -> Response:
    """Lead to the sign-in page, and remember the page; of a form, say that nothing was kept and show the words."""
    if request.method != "GET":
        return await _not_kept(request)
    response = RedirectResponse("/signin", 303)
    address = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    is_page = "text/html" in request.headers.get("accept", "") and "hx-request" not in request.headers
    if is_page and len(address) <= _ADDRESS_MAX:
        is_secure = request.app.state.origin.is_secure
        response.set_cookie(
            BACK_COOKIE, quote(address), max_age=_BACK_S, httponly=True, samesite="lax", secure=is_secure
        )
    return response


async def _not_kept(request: Request) -> Response:
    try:
        form = await request.form(max_fields=FIELDS_MAX, max_part_size=4 * WORDS_MAX)
    except HTTPException:
        fields: dict[str, str] = {}
    else:
        fields = {name: value for name, value in form.items() if isinstance(value, str)}
    page = ErrorPage(
        shell=outside_shell("Sign in first", request.url.path),
        status=401,
        title="You are signed out: nothing was kept",
        text="Copy what you typed, sign in, and send it again.",
        code="unauthenticated",
        icon="lock-keyhole",
        ways=(Link("Sign in", "/signin", "key-round"),),
        kept=tuple(KeptText(label, fields[name]) for name, label in _TYPED.items() if fields.get(name)),
    )
    return HTMLResponse(render_page("errors/page.html", page), 401)
