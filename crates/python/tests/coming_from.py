"""The page for those who come from elsewhere: its tables as pairs of code, and its model."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "coming_from.md"


def sections():
    """The tables by heading: lists of (theirs, ours)."""
    found = {}
    for part in re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        title = part.partition("\n")[0]
        rows = re.findall(r"^\| (`.*`) \| `([^|]*)` \|$", part, re.MULTILINE)
        if rows:
            found[title] = [(theirs.strip("`"), ours) for theirs, ours in rows]
    return found


def prelude():
    """The code at the head of the page, which writes scene.xml."""
    return re.search(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)[1]


def raised(names):
    """Sets the simulation at its keyframe, and q, v and a: what the tables of numbers are about."""
    exec(
        "sim = st.Simulation(model, step=2e-3); sim.reset('raised'); q, v = sim.qpos.copy(), sim.qvel.copy(); "
        "a = np.linspace(-1, 1, model.nv)",
        names,
    )
