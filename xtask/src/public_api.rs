//! `cargo xtask public-api`: the public items of the crate `stiction`, compared with `crates/stiction/public-api.txt`.
//!
//! rustdoc lists every item on `all.html`, and re-exports and modules on the page of each module. A line of the file is
//! `KIND PATH`; a re-export is `use PATH`, or `use MODULE: PATH` if it is not in the crate's root.

use crate::project;
use crate::stage::{Failure, Outcome, Stages};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const LIST: &str = "crates/stiction/public-api.txt";
const REMEDY: &str = "if the change is intended, run `cargo xtask public-api --write` and commit the file";

pub fn run(args: &[String]) -> Outcome {
    let write = match args {
        [] => false,
        [flag] if flag == "--write" => true,
        _ => return Err(Failure::usage("usage: cargo xtask public-api [--write]")),
    };
    let mut stages = Stages::default();
    let rustdoc = ["doc", "--release", "--no-deps", "--lib", "--package", "stiction"];
    stages.run("rustdoc", project::cargo().args(rustdoc))?;
    if !write {
        return check(&mut stages);
    }
    let items = documented()?;
    let path = project::root().join(LIST);
    fs::write(&path, text(&items)).map_err(|e| Failure::work(format!("cannot write {LIST}: {e}")))?;
    println!("wrote {LIST}: {} items", items.len());
    Ok(())
}

/// Compares the documentation that `cargo xtask lint` has just built with the list.
pub fn check(stages: &mut Stages) -> Outcome {
    stages.check("public API", || {
        let listed = fs::read_to_string(project::root().join(LIST))
            .map_err(|e| Failure::work(format!("cannot read {LIST}: {e}; {REMEDY}")))?;
        match difference(&items_of(&listed), &documented()?) {
            None => Ok(()),
            Some(difference) => Err(Failure::work(format!(
                "the public items of `stiction` are not those of {LIST}:\n{difference}\n{REMEDY}"
            ))),
        }
    })
}

/// The file's text.
fn text(items: &BTreeSet<String>) -> String {
    let head = "# The public items of the crate `stiction`. Written by `cargo xtask public-api --write`.\n";
    items.iter().fold(head.to_owned(), |text, item| text + item + "\n")
}

/// The items in the file's text.
fn items_of(text: &str) -> BTreeSet<String> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect()
}

/// Items that only one of the two has, a line each; `None` if they are the same.
fn difference(listed: &BTreeSet<String>, found: &BTreeSet<String>) -> Option<String> {
    let added = found.difference(listed).map(|item| format!("  + {item}"));
    let removed = listed.difference(found).map(|item| format!("  - {item}"));
    let lines: Vec<String> = added.chain(removed).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// The public items in rustdoc's pages. Only pages that others link to are read: rustdoc leaves pages of removed items.
fn documented() -> Outcome<BTreeSet<String>> {
    let folder = project::target().join("doc/stiction");
    let mut items = BTreeSet::new();
    items.extend(items_on(&read(&folder.join("all.html"))?));
    let mut modules = vec![String::new()];
    while let Some(module) = modules.pop() {
        let page = read(&folder.join(module.replace("::", "/")).join("index.html"))?;
        items.extend(reexports_on(&page, &module));
        for name in modules_on(&page) {
            let path = if module.is_empty() { name } else { format!("{module}::{name}") };
            items.insert(format!("mod {path}"));
            modules.push(path);
        }
    }
    if items.len() < 10 {
        return Err(Failure::work(format!(
            "{} lists almost nothing: has rustdoc changed?",
            folder.display()
        )));
    }
    Ok(items)
}

/// `KIND PATH` of each item on `all.html`: `<a href="control/struct.Grip.html">control::Grip</a>`.
fn items_on(page: &str) -> Vec<String> {
    let lists = page.split("<ul class=\"all-items\">").skip(1).map(|rest| rest.split("</ul>").next());
    let links = lists.flatten().flat_map(|list| list.split("<a href=\"").skip(1));
    links
        .filter_map(|link| {
            let (address, rest) = link.split_once("\">")?;
            let kind = address.rsplit('/').next()?.split('.').next()?;
            Some(format!("{kind} {}", rest.split('<').next()?))
        })
        .collect()
}

/// `use …` of each re-export on a module's page.
fn reexports_on(page: &str, module: &str) -> Vec<String> {
    let entries = page.split("<dt id=\"reexport.").skip(1);
    let entries = entries.filter_map(|entry| entry.split_once("<code>")?.1.split("</code>").next());
    entries
        .map(|code| {
            let text = without_tags(code);
            let path = text.trim_start_matches("pub use ").trim_end_matches(';').to_owned();
            if module.is_empty() { format!("use {path}") } else { format!("use {module}: {path}") }
        })
        .collect()
}

/// Names of the modules that a module's page links to.
fn modules_on(page: &str) -> Vec<String> {
    let table = page.split_once("id=\"modules\"").map_or("", |(_, rest)| rest);
    let table = table.split("</dl>").next().unwrap_or_default();
    let links = table.split("<a class=\"mod\" href=\"").skip(1);
    links.filter_map(|link| Some(link.split_once("/index.html")?.0.to_owned())).collect()
}

fn without_tags(html: &str) -> String {
    let pieces = html.split('<').enumerate();
    let pieces =
        pieces.map(|(k, piece)| if k == 0 { piece } else { piece.split_once('>').map_or("", |p| p.1) });
    pieces.collect::<String>().replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

fn read(path: &Path) -> Outcome<String> {
    let run = "run `cargo xtask public-api`, which builds it";
    fs::read_to_string(path).map_err(|e| Failure::work(format!("cannot read {}: {e}; {run}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_modules_and_reexports_are_read_from_the_pages_of_rustdoc() {
        let all = "<h3 id=\"structs\">Structs</h3><ul class=\"all-items\"><li><a href=\"struct.Model.html\">Model</a>\
                   </li><li><a href=\"control/fn.limit.html\">control::limit</a></li></ul>\
                   <h3>Enums</h3><ul class=\"all-items\"><li><a href=\"enum.Kind.html\">Kind</a></li></ul>\
                   <footer><a href=\"struct.Other.html\">Other</a></footer>";
        assert_eq!(items_on(all), ["struct Model", "fn control::limit", "enum Kind"]);
        let page = "<h2 id=\"reexports\"></h2><dl><dt id=\"reexport.Batch\"><code>pub use batch::<a class=\"struct\" \
                    href=\"x\">Batch</a>;</code></dt><dt id=\"reexport.convex\"><code>pub use \
                    <a href=\"y\">stiction_convex</a> as convex;</code></dt></dl>\
                    <h2 id=\"modules\"></h2><dl><dt><a class=\"mod\" href=\"batch/index.html\" title=\"t\">batch</a></dt>\
                    </dl><h2 id=\"structs\"></h2><a class=\"mod\" href=\"elsewhere/index.html\">no</a>";
        assert_eq!(reexports_on(page, ""), ["use batch::Batch", "use stiction_convex as convex"]);
        assert_eq!(reexports_on(page, "control")[0], "use control: batch::Batch");
        assert_eq!(modules_on(page), ["batch"]);
    }

    #[test]
    fn added_and_removed_items_are_named_and_order_does_not_matter() {
        let set = |items: &[&str]| items.iter().map(|item| (*item).to_owned()).collect::<BTreeSet<_>>();
        let (listed, found) = (set(&["struct A", "fn gone"]), set(&["fn new", "struct A"]));
        assert_eq!(difference(&listed, &found).unwrap(), "  + fn new\n  - fn gone");
        assert!(difference(&listed, &set(&["fn gone", "struct A"])).is_none());
    }

    #[test]
    fn the_list_is_as_it_would_be_written() {
        let listed = fs::read_to_string(project::root().join(LIST)).unwrap();
        assert!(text(&items_of(&listed)) == listed, "{LIST} was edited by hand; {REMEDY}");
    }
}
