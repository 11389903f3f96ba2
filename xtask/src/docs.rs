//! `cargo xtask docs`: the book and the API documentation.
//!
//! The book is `docs/`, and its table of contents is the list in `docs/README.md`: a page that is linked there
//! is in the book, and one that is not fails the build. The recordings of the gallery are made again.
//! mdBook is installed into `.cache/` the first time.

use crate::stage::{Failure, Outcome, Stages};
use crate::{gallery, project, web};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The library crates. The program and the wheel are documented elsewhere, and their names collide with the library's.
pub const RUSTDOC: [&str; 8] = [
    "doc",
    "--release",
    "--workspace",
    "--no-deps",
    "--exclude=stiction-cli",
    "--exclude=stiction-python",
    "--exclude=xtask",
    "--lib",
];

/// The version of mdBook that makes the book.
const MDBOOK: &str = "0.5.4";

pub fn run(args: &[String]) -> Outcome {
    if !args.is_empty() {
        return Err(Failure::usage("usage: cargo xtask docs"));
    }
    let mut stages = Stages::default();
    let program = mdbook(&mut stages)?;
    let source = lay_out()?;
    let built = web::program(&mut stages)?;
    gallery::record(&mut stages, &built, &source.join("src/recordings"))?;
    stages.run("book", Command::new(program).arg("build").arg(&source))?;
    stages.run("rustdoc", project::cargo().args(RUSTDOC))?;
    println!("\nopen {}", project::target().join("book/index.html").display());
    println!("open {}", project::target().join("doc/stiction/index.html").display());
    Ok(())
}

/// The program, installed if necessary.
fn mdbook(stages: &mut Stages) -> Outcome<PathBuf> {
    let home = project::cache().join("mdbook");
    let program = home.join("bin/mdbook");
    let stamp = home.join(MDBOOK);
    if !stamp.is_file() {
        let mut install = project::cargo();
        install.args(["install", "mdbook", "--version", MDBOOK, "--locked", "--no-default-features"]);
        install.args(["--features", "search", "--root"]).arg(&home);
        stages.run("install mdBook", &mut install)?;
        write(&stamp, "")?;
    }
    Ok(program)
}

/// Writes `book.toml` and `SUMMARY.md` next to a copy of the pages, so that nothing generated lies among the sources.
fn lay_out() -> Outcome<PathBuf> {
    let (docs, laid) = (project::root().join("docs"), project::target().join("book-source"));
    if laid.exists() {
        std::fs::remove_dir_all(&laid).map_err(|e| failed(&laid, &e))?;
    }
    copy(&docs, &laid.join("src"))?;
    let (summary, linked) = summary(&|page| std::fs::read_to_string(docs.join(page)).ok());
    let mut missing: Vec<String> = pages(&docs, &docs)?.difference(&linked).cloned().collect();
    missing.retain(|page| page != "README.md");
    if !missing.is_empty() {
        let list = missing.join(", ");
        return Err(Failure::work(format!("docs/README.md links no page {list}: add a line for each")));
    }
    write(&laid.join("src/SUMMARY.md"), &summary)?;
    write(&laid.join("src/gallery.md"), &gallery::linked(&gallery::page()))?;
    let toml = format!(
        "[book]\ntitle = \"Stiction\"\nlanguage = \"en\"\n[build]\nbuild-dir = {:?}\ncreate-missing = false\n",
        project::target().join("book")
    );
    write(&laid.join("book.toml"), &toml)?;
    Ok(laid)
}

/// Table of contents from the lists of `docs/README.md`: each item is a chapter named by its first link; further links
/// of the same item to pages are chapters below it, and so are those of a folder's own `README.md`. Headings become
/// parts. Also the pages it links. `read` gives a page's text.
fn summary(read: &dyn Fn(&str) -> Option<String>) -> (String, BTreeSet<String>) {
    let mut text = String::from("# Summary\n\n[Stiction](README.md)\n\n");
    let mut linked = BTreeSet::new();
    for line in read("README.md").unwrap_or_default().lines() {
        if let Some(part) = line.strip_prefix("## ") {
            text += &format!("\n# {part}\n\n");
        }
        let mut depth = 0;
        for (title, page) in line.strip_prefix("- ").map(links).unwrap_or_default() {
            if linked.insert(page.clone()) {
                text += &format!("{}- [{title}]({page})\n", "  ".repeat(depth));
                depth = 1;
            }
            let Some(folder) = page.strip_suffix("README.md") else { continue };
            for item in read(&page).unwrap_or_default().lines().filter_map(|l| l.strip_prefix("- ")) {
                for (title, page) in links(item).into_iter().take(1) {
                    let page = format!("{folder}{page}");
                    if linked.insert(page.clone()) {
                        text += &format!("  - [{title}]({page})\n");
                    }
                }
            }
        }
    }
    (text, linked)
}

/// Links of a line to pages of the book: title and path.
fn links(line: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("](") {
        let Some((target, tail)) = after.split_once(')') else { break };
        if let (Some(open), true) = (before.rfind('['), target.ends_with(".md") && !target.starts_with(".."))
        {
            found.push((before[open + 1..].to_owned(), target.to_owned()));
        }
        rest = tail;
    }
    found
}

/// All pages below a folder, relative to `base`.
fn pages(folder: &Path, base: &Path) -> Outcome<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(folder).map_err(|e| failed(folder, &e))?.flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(pages(&path, base)?);
        } else if path.extension().is_some_and(|e| e == "md")
            && let Ok(relative) = path.strip_prefix(base)
        {
            found.insert(relative.to_string_lossy().replace('\\', "/"));
        }
    }
    Ok(found)
}

fn copy(from: &Path, to: &Path) -> Outcome {
    std::fs::create_dir_all(to).map_err(|e| failed(to, &e))?;
    for entry in std::fs::read_dir(from).map_err(|e| failed(from, &e))?.flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &target)?;
        } else {
            std::fs::copy(&path, &target).map_err(|e| failed(&path, &e))?;
        }
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Outcome {
    std::fs::write(path, text).map_err(|e| failed(path, &e))
}

fn failed(path: &Path, error: &std::io::Error) -> Failure {
    Failure::work(format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_become_chapters_and_their_further_links_chapters_below() {
        let book = |page: &str| {
            match page {
            "README.md" => Some("# The book\n\n## Start\n\n- [A](a.md): with [b](b.md) and [code](../x.rs).\n- [C](d/README.md), [again](a.md)\n".to_owned()),
            "d/README.md" => Some("- [E](e.md): [b](../b.md)\n".to_owned()),
            _ => None,
        }
        };
        let (text, linked) = summary(&book);
        assert!(
            text.ends_with("# Start\n\n- [A](a.md)\n  - [b](b.md)\n- [C](d/README.md)\n  - [E](d/e.md)\n"),
            "{text}"
        );
        assert_eq!(linked.into_iter().collect::<Vec<_>>(), ["a.md", "b.md", "d/README.md", "d/e.md"]);
    }

    #[test]
    fn every_page_of_the_book_is_linked_from_its_readme() {
        let docs = project::root().join("docs");
        let (_, linked) = summary(&|page| std::fs::read_to_string(docs.join(page)).ok());
        let all = pages(&docs, &docs).unwrap_or_default();
        let missing: Vec<_> = all.difference(&linked).filter(|page| *page != "README.md").collect();
        assert!(missing.is_empty(), "docs/README.md links no page {missing:?}");
        let absent: Vec<_> = linked.difference(&all).collect();
        assert!(absent.is_empty(), "docs/README.md links pages that are not there: {absent:?}");
    }
}
