"""The public projects that health and defects are judged on, drawn before anybody looked at them.

None of them is among the histories that the weights of the defect model were trained on.
"""

CHOSEN_ON = (
    "encode/httpx",
    "psf/requests",
    "pallets/click",
    "expressjs/express",
    "junegunn/fzf",
    "google/gson",
    "DapperLib/Dapper",
    "sinatra/sinatra",
    "square/okio",
    "redis/hiredis",
    "Alamofire/Alamofire",
    "vercel/swr",
    "spf13/cobra",
    "guzzle/guzzle",
    "clap-rs/clap",
    "pydantic/pydantic",
    "axios/axios",
    "sharkdp/bat",
    "psf/black",
    "pytest-dev/pytest",
)
"""Rules and constants were chosen on these."""

HELD_BACK = (
    "scrapy/scrapy",
    "celery/celery",
    "aio-libs/aiohttp",
    "caddyserver/caddy",
    "gohugoio/hugo",
    "rust-lang/mdBook",
    "libuv/libuv",
    "fastify/fastify",
    "vuejs/core",
    "mockito/mockito",
    "Seldaek/monolog",
    "sidekiq/sidekiq",
    "App-vNext/Polly",
    "InsertKoinIO/koin",
    "apple/swift-nio",
    "hyperium/hyper",
    "date-fns/date-fns",
    "urllib3/urllib3",
    "tmux/tmux",
    "jqlang/jq",
)
"""These were looked at once, after everything was chosen."""
