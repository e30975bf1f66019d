"""The columns that README.md lists are those that there are."""

from pathlib import Path

from pricing.replay.columns import markdown_table

README = Path(__file__).resolve().parents[2] / "README.md"


def test_readme_lists_the_columns() -> None:
    assert f"<!-- columns -->\n{markdown_table()}\n<!-- /columns -->" in README.read_text("utf-8")
