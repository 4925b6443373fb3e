// What every page loads: each module binds itself to data- attributes and does nothing without them.
import "./theme.js";
import "./times.js";
import "./days.js";
import "./zone.js";
import "./copy.js";
import "./keys.js";
import "./tree.js";
import "./menu.js";
import "./live.js";
import "./refusals.js";
import "./landing.js";
import "./operator.js";
