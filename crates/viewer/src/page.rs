//! The built page: one HTML file with everything in it, made from `web/`.

/// The page as it was built.
pub const PAGE: &str = include_str!("../page/index.html");

/// The page with a `<meta>` of this name and content at the beginning of its head, which says where its data is.
pub fn with_meta(name: &str, content: &str) -> String {
    let meta = format!("<meta name=\"{name}\" content=\"{content}\">");
    let at = PAGE.find("<head>").map_or(0, |at| at + "<head>".len());
    let mut page = String::with_capacity(PAGE.len() + meta.len());
    page.push_str(&PAGE[..at]);
    page.push_str(&meta);
    page.push_str(&PAGE[at..]);
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_meta_stands_in_the_head() {
        let page = with_meta("stiction-live", "1");
        let (meta, head, end) = (page.find("stiction-live"), page.find("<head>"), page.find("</head>"));
        assert!(head < meta && meta < end, "{head:?} {meta:?} {end:?}");
    }

    #[test]
    fn the_page_is_whole_and_loads_nothing_from_elsewhere() {
        assert!(PAGE.trim_start().to_lowercase().starts_with("<!doctype html>"));
        for outside in ["src=\"http", "href=\"http", "src='http", "@import url(http"] {
            assert!(!PAGE.contains(outside), "{outside}");
        }
    }
}
