//! `ibid serve` and `ibid preview`: files on this machine alone, as a host of static files answers.

mod answer;
mod offer;
mod server;
mod tuning;

pub(super) use self::server::accept;

use std::path::PathBuf;

use ibid_native::{interrupt, note, print};
use ibid_platform::{Error, ErrorCode, Result};

use offer::Offer;
use tuning::Tuning;

#[derive(clap::Args)]
pub(super) struct ServeArgs {
    /// An index (a file or a folder of parts), or a folder with an `index.html`.
    #[arg(value_name = "INDEX|FOLDER", default_value = "site.ibid")]
    path: PathBuf,
    #[command(flatten)]
    port: PortArg,
}

#[derive(clap::Args)]
pub(super) struct PreviewArgs {
    /// The folder of a built site to which `ibid site` added search.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    #[command(flatten)]
    port: PortArg,
    /// The queries of visitors, one JSON object per line: the `detail` of events `ibid-query`, perhaps with a `count`.
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
    /// The file of settings [default: `ibid.toml` next to what is read, or in this folder].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

#[derive(clap::Args)]
struct PortArg {
    /// The port on 127.0.0.1; 0 lets the system choose [default: 8000, or the next free one]
    #[arg(long, value_name = "N")]
    port: Option<u16>,
}

pub(super) fn run(args: &ServeArgs) -> Result<()> {
    let (offer, line) = Offer::of(&args.path)?;
    serve(offer, &line, args.port.port)
}

pub(super) fn preview(args: PreviewArgs) -> Result<()> {
    let PreviewArgs { folder, port, events, config } = args;
    if !folder.join("site.ibid").exists() || !folder.join("ibid/ui/site.js").is_file() {
        let message = format!("`{}` is not a site with search.", folder.display());
        return Err(Error::new(ErrorCode::Io, message)
            .with_hint(format!("Add it with `ibid site {}`, then try again.", folder.display())));
    }
    let line =
        format!("serving the site {}, and at {} why pages are found", folder.display(), tuning::ADDRESS);
    serve(Offer::Site(Tuning { folder, config, events }), &line, port.port)
}

/// Serves until Ctrl-C, and prints the address.
fn serve(offer: Offer, line: &str, port: Option<u16>) -> Result<()> {
    let (listener, url) = server::listen(port)?;
    let moved = match port {
        None if !url.ends_with(&format!(":{}/", server::PORT)) => {
            format!(", since port {} is taken", server::PORT)
        }
        _ => String::new(),
    };
    interrupt::ends_well();
    note(&format!("{line}{moved}; Ctrl-C ends it"));
    print(&format!("{url}\n"))?;
    server::serve(listener, offer)
}
