"""Measure many public projects, and write the table of quantiles that health compares with.

    python bench/health_quantiles.py fetch FOLDER
    python bench/health_quantiles.py measure FOLDER
    python bench/health_quantiles.py table FOLDER > table.py

`fetch` gets sources through the clients of the registries: wheels of PyPI, tarballs of npm, crates,
Go modules and source jars of Maven. `measure` takes the parts of the scorecard of each project that
has at least 300 lines of production code, one after the other; it goes on where it ended. What it
measured is in FOLDER/values.jsonl. None of the projects are in this repository.
"""

import json
import random
import statistics
import subprocess
import sys
import tarfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchpin.app import Workbench
from results import help_if_asked

MIN_CODE_LINES = 300
TIMEOUT_S = 300
MAX_COPIES = 40.0  # % of the lines
PARTS = (
    "complexity",
    "maintainability",
    "duplication",
    "modularity",
    "debt_comments",
    "dead_code",
)
PYPI = """
    aiosqlite anyio apscheduler arrow asgiref attrs beautifulsoup4 black bottle cachetools
    cattrs celery cherrypy click colorama dateparser docutils dulwich faker falcon feedparser
    flask fsspec funcy gunicorn h2 httpcore httpx hypercorn invoke isort itsdangerous jinja2
    jsonschema kombu loguru mako markdown marshmallow mistune more-itertools networkx nox
    openpyxl paramiko parso peewee pendulum pip poetry-core prompt-toolkit pygments pyramid
    pyparsing pypdf pytest python-dateutil requests rich scrapy sphinx sqlparse starlette
    structlog sympy tinydb tornado tqdm trio twisted typer uvicorn virtualenv voluptuous
    waitress werkzeug wtforms zeep
"""
NPM = """
    async body-parser chalk cheerio commander connect cors debug ejs eslint-scope express
    fastify glob handlebars helmet ioredis joi js-yaml jsdom knex koa less lodash lowdb
    markdown-it marked mocha mongoose morgan mustache mysql2 node-cron nodemailer passport pino
    postcss pug request restify semver serve-static shelljs sinon socket.io-parser superagent
    through2 underscore uglify-js winston ws yargs-parser typeorm@0.3.20 zod @nestjs/core rxjs
    date-fns-tz
"""
CRATES = """
    aho-corasick anyhow arrayvec axum bat base64 bytes cc chrono clap_builder crossbeam-channel
    csv either env_logger fd-find flate2 futures-util globset h2 hashbrown hyper image indexmap
    itertools memchr mio nom num-bigint petgraph pulldown-cmark rand rayon regex regex-automata
    reqwest rustls semver serde serde_json smallvec syn tar time tokio toml_edit tower tracing
    ureq url walkdir
"""
GO = """
    github.com/spf13/cobra github.com/spf13/viper github.com/gin-gonic/gin
    github.com/labstack/echo/v4 github.com/gorilla/mux github.com/gorilla/websocket
    github.com/sirupsen/logrus go.uber.org/zap github.com/stretchr/testify
    github.com/urfave/cli/v2 github.com/go-chi/chi/v5 gorm.io/gorm github.com/redis/go-redis/v9
    github.com/jackc/pgx/v5 github.com/prometheus/client_golang github.com/golang-jwt/jwt/v5
    github.com/pelletier/go-toml/v2 gopkg.in/yaml.v3 github.com/valyala/fasthttp
    github.com/gofiber/fiber/v2 github.com/hashicorp/raft github.com/hashicorp/consul/api
    github.com/nats-io/nats.go github.com/fsnotify/fsnotify github.com/charmbracelet/bubbletea
    github.com/charmbracelet/lipgloss github.com/yuin/goldmark github.com/alecthomas/chroma/v2
    github.com/go-git/go-git/v5 github.com/miekg/dns github.com/rs/zerolog
    github.com/tidwall/gjson github.com/mitchellh/mapstructure github.com/PuerkitoBio/goquery
    github.com/robfig/cron/v3
"""
MAVEN = """
    com.google.code.gson:gson:2.11.0 com.google.guava:guava:33.3.0-jre org.jsoup:jsoup:1.18.1
    org.apache.commons:commons-lang3:3.17.0 org.apache.commons:commons-text:1.12.0
    commons-io:commons-io:2.17.0 com.squareup.okio:okio-jvm:3.9.1
    com.squareup.retrofit2:retrofit:2.11.0 info.picocli:picocli:4.7.6
    com.fasterxml.jackson.core:jackson-core:2.18.0
    com.fasterxml.jackson.core:jackson-databind:2.18.0 org.slf4j:slf4j-api:2.0.16
    ch.qos.logback:logback-core:1.5.11 ch.qos.logback:logback-classic:1.5.11
    org.mockito:mockito-core:5.14.2 org.assertj:assertj-core:3.26.3 com.zaxxer:HikariCP:6.0.0
    io.javalin:javalin:6.3.0 org.flywaydb:flyway-core:10.20.0 redis.clients:jedis:5.2.0
    org.apache.httpcomponents.client5:httpclient5:5.4 org.freemarker:freemarker:2.3.33
    org.apache.velocity:velocity-engine-core:2.4 org.yaml:snakeyaml:2.3
    joda-time:joda-time:2.13.0
"""


def fetch(folder: Path) -> None:
    """Get what is not there yet; what a registry does not have is left out."""
    for name in PYPI.split():
        _fetch(folder, f"pypi-{name}", _wheel(name))
    for name in NPM.split():
        _fetch(
            folder, f"npm-{name.strip('@').replace('/', '-')}", ["npm", "pack", "--silent", name]
        )
    crates = folder / "crates"
    (crates / "src").mkdir(parents=True, exist_ok=True)
    (crates / "src/lib.rs").touch()
    wanted = "".join(f'{name} = "*"\n' for name in CRATES.split())
    manifest = f'[package]\nname = "all"\nversion = "0.1.0"\n[dependencies]\n{wanted}'
    (crates / "Cargo.toml").write_text(manifest)
    _run(["cargo", "vendor", "--quiet", "vendor"], crates)
    for name in CRATES.split():
        if (crates / "vendor" / name).is_dir() and not (folder / f"crate-{name}").exists():
            (crates / "vendor" / name).rename(folder / f"crate-{name}")
    for name in GO.split():
        got = _run(["go", "mod", "download", "-json", f"{name}@latest"], folder)
        place = folder / f"go-{name.replace('/', '-')}"
        if got and not place.exists():
            _run(["cp", "-r", "--no-preserve=mode", json.loads(got)["Dir"], str(place)], folder)
    for name in MAVEN.split():
        get = ["mvn", "-q", "dependency:copy", f"-Dartifact={name}:jar:sources"]
        _fetch(folder, f"maven-{name.split(':')[1]}", [*get, "-DoutputDirectory=."])


def _wheel(name: str) -> list[str]:
    only = ["--no-deps", "--only-binary", ":all:", "--disable-pip-version-check"]
    return [sys.executable, "-m", "pip", "download", "-q", *only, name]


def _fetch(folder: Path, name: str, command: list[str]) -> None:
    place = folder / name
    if place.exists():
        return
    place.mkdir(parents=True)
    _run(command, place)
    for packed in [it for it in place.iterdir() if it.is_file()]:
        if packed.suffix in {".whl", ".jar"}:
            zipfile.ZipFile(packed).extractall(place)  # noqa: S202 - it refuses paths outside
        else:
            with tarfile.open(packed) as archive:
                archive.extractall(place, filter="data")
        packed.unlink()


def _run(command: list[str], folder: Path) -> str:
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    if done.returncode:
        print(f"{command[-1]}: {done.stderr[-200:]}", file=sys.stderr)
    return done.stdout if done.returncode == 0 else ""


def measure(folder: Path) -> None:
    """Write the value of each part of each project."""
    out = folder / "values.jsonl"
    done = {it["project"] for it in _values(folder)}
    places = sorted(folder.glob("*-*"))
    random.Random(1).shuffle(places)  # noqa: S311 - so that a part of them is a sample of all
    for place in places:
        if not place.is_dir() or place.name in done:
            continue
        bench = Workbench.open(place)
        report = bench.call(
            "analyze_comprehensive",
            include_defects=False,
            include_tdg=False,
            parallel=1,
            format="json",
        ).model_dump(mode="json")
        bench.close()
        card = report["quality_scorecard"]
        row = {
            "project": place.name,
            "language": (report["overview"]["languages"] or [{"language": ""}])[0]["language"],
            "code_lines": card["code_lines"],
            **{it["name"]: it["value"] for it in card["parts"]},
        }
        with out.open("a") as file:
            file.write(json.dumps(row) + "\n")


def _values(folder: Path) -> Iterator[dict[str, object]]:
    path = folder / "values.jsonl"
    if path.exists():
        yield from map(json.loads, path.read_text().splitlines())


def table(folder: Path) -> None:
    """Print the quantiles of each part, in steps of 5 %."""
    rows = [it for it in _values(folder) if int(str(it["code_lines"])) >= MIN_CODE_LINES]
    rows = [it for it in rows if not _is_build_output(it)]
    counts = Counter(str(it["language"]) for it in rows)
    print(f"# {len(rows)} projects: {', '.join(f'{n} {it}' for it, n in counts.most_common())}")
    print(f"PROJECTS = {len(rows)}")
    for part in PARTS:
        known = sorted(float(str(it[part])) for it in rows if it.get(part) is not None)
        cuts = [known[0], *statistics.quantiles(known, n=20, method="inclusive"), known[-1]]
        print(f'    "{part}": ({", ".join(f"{it:.4g}" for it in cuts)}),')


def _is_build_output(row: dict[str, object]) -> bool:
    """Whether a package is made of copies: it carries several builds of its sources."""
    return float(str(row["duplication"])) > MAX_COPIES


if __name__ == "__main__":
    help_if_asked(__doc__)
    {"fetch": fetch, "measure": measure, "table": table}[sys.argv[1]](Path(sys.argv[2]).resolve())
