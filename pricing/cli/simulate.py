"""``baccarat-pricing simulate``: shoes as a house deals them, to a file."""

import json
from pathlib import Path

import click

from pricing.cli.flags import game_option, games_option
from pricing.games import find_game, load_games

_RATE = click.FloatRange(0, 1)


@click.command()
@click.option("--shoes", type=click.IntRange(1, 100_000_000), required=True, metavar="N", help="Shoes to deal.")
@click.option("--seed", type=click.IntRange(0), required=True, metavar="N", help="Shuffle by this number.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    required=True,
    metavar="FILE",
    help="Where to: .parquet, or .jsonl.",
)
@game_option
@games_option
@click.option("--burns", type=_RATE, default=0.0, show_default=True, metavar="RATE", help="Cards burned a game.")
@click.option("--voids", type=_RATE, default=0.0, show_default=True, metavar="RATE", help="Games that are void.")
def simulate(  # noqa: PLR0913, PLR0917 - the flags
    shoes: int, seed: int, out: Path, game: str, games: Path | None, burns: float, voids: float
) -> None:
    """Deal simulated shoes into a file that can be replayed.

    Shoes have the game type's decks and are changed when it says so. The same seed gives the same shoes, and the same
    bytes; a longer run begins with those of a shorter one.
    """
    from pricing.replay.simulate import House, native, write_parquet
    from pricing.replay.simulate import simulate as dealt

    house = House(find_game(load_games(games), game), burns, voids)
    found = dealt(house, seed, range(shoes))
    if out.suffix == ".parquet":
        write_parquet(out, found)
    elif out.suffix == ".jsonl":
        with out.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(native(shoe)) + "\n" for shoe in found)
    else:
        raise click.UsageError(f"--out: got {str(out)!r}; allowed: a name that ends in .parquet or .jsonl")
    click.echo(f"{shoes} shoes by --seed {seed} in {out}")
