//! Damage: to bytes, and to the structure of XML (numbers, names, elements).

use stiction_base::random::Random;

const VALUES: &[&str] = &[
    "0",
    "-1",
    "1",
    "nan",
    "inf",
    "-inf",
    "1e308",
    "-1e308",
    "1e-308",
    "1e16",
    "99999999999",
    "2147483648",
    "-2147483649",
    "",
    " ",
    "true",
    "false",
    "x",
    "0 0 0",
    "1 2 3 4",
    "world",
    "__model__",
    "a",
    "b",
    "../a",
    "/dev/null",
    "model://m",
    "1e5 1e5",
    "0.5",
    "fixed",
    "revolute",
    "ball",
    "screw",
    "gearbox",
    "mesh",
    "&amp;",
    "é\u{202e}",
    "{",
    "- !Rpy",
    "0x1p3",
];

/// A seed with one to six kinds of damage.
pub fn damaged(pool: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut input = pool[random.modulo(pool.len())].clone();
    for _ in 0..1 + random.modulo(6) {
        let text = random.modulo(3) > 0 && std::str::from_utf8(&input).is_ok_and(|t| t.contains('<'));
        if text {
            structure(&mut input, pool, random);
        } else {
            bytes(&mut input, pool, random);
        }
        if input.len() > 1 << 17 {
            input.truncate(1 << 17);
        }
    }
    input
}

fn bytes(input: &mut Vec<u8>, pool: &[Vec<u8>], random: &mut Random) {
    let at = random.modulo(input.len());
    match random.modulo(8) {
        0 if !input.is_empty() => input[at] ^= 1 << random.modulo(8),
        1 if !input.is_empty() => input[at] = [0, 1, 0x7f, 0x80, 0xff, b'<', b'"', b'\n'][random.modulo(8)],
        2 => input.truncate(at),
        3 => {
            let end = (at + random.modulo(64)).min(input.len());
            input.drain(at.min(end)..end);
        }
        4 => {
            let end = (at + random.modulo(256)).min(input.len());
            let copy = input[at.min(end)..end].to_vec();
            let to = random.modulo(input.len() + 1);
            input.splice(to..to, copy);
        }
        5 => {
            // A word of four bytes, as counts in binary files are.
            let word = [0u32, 1, 0x7fff_ffff, u32::MAX, 0x8000_0000, 1 << 20][random.modulo(6)].to_le_bytes();
            for (k, b) in word.into_iter().enumerate() {
                if let Some(slot) = input.get_mut(at + k) {
                    *slot = b;
                }
            }
        }
        6 => {
            let other = &pool[random.modulo(pool.len())];
            let from = random.modulo(other.len());
            input.truncate(at);
            input.extend_from_slice(&other[from..]);
        }
        _ => {
            let value = VALUES[random.modulo(VALUES.len())];
            // Replaces a number or word.
            let start =
                input[..at].iter().rposition(|b| b.is_ascii_whitespace() || *b == b'"').map_or(0, |i| i + 1);
            let end = input[at..]
                .iter()
                .position(|b| b.is_ascii_whitespace() || matches!(*b, b'"' | b'<'))
                .map_or(input.len(), |i| at + i);
            input.splice(start..end, value.bytes());
        }
    }
}

fn structure(input: &mut Vec<u8>, pool: &[Vec<u8>], random: &mut Random) {
    let Ok(text) = String::from_utf8(input.clone()) else { return };
    let quotes: Vec<usize> = text.match_indices(['"', '\'']).map(|(i, _)| i).collect();
    match random.modulo(6) {
        // Another attribute value.
        0 | 1 if quotes.len() >= 2 => {
            let pair = random.modulo(quotes.len() / 2) * 2;
            let (start, end) = (quotes[pair] + 1, quotes[pair + 1]);
            let other = random.modulo(quotes.len() / 2) * 2;
            let value = if random.modulo(2) == 0 {
                VALUES[random.modulo(VALUES.len())].to_string()
            } else {
                text[quotes[other] + 1..quotes[other + 1]].to_string()
            };
            *input = format!("{}{value}{}", &text[..start], &text[end..]).into_bytes();
        }
        // An element twice, somewhere else, or not at all.
        2..=4 => {
            let Some(range) = element(&text, random) else { return };
            let piece = text[range.clone()].to_string();
            let rest = format!("{}{}", &text[..range.start], &text[range.end..]);
            *input = match random.modulo(3) {
                0 => rest.into_bytes(),
                1 => format!("{}{piece}{}", &text[..range.end], &text[range.end..]).into_bytes(),
                _ => {
                    let places: Vec<usize> = rest.match_indices('<').map(|(i, _)| i).collect();
                    let at = places.get(random.modulo(places.len())).copied().unwrap_or(0);
                    format!("{}{piece}{}", &rest[..at], &rest[at..]).into_bytes()
                }
            };
        }
        // An element of another seed.
        _ => {
            let other = String::from_utf8_lossy(&pool[random.modulo(pool.len())]).into_owned();
            let Some(range) = element(&other, random) else { return };
            let places: Vec<usize> = text.match_indices('<').map(|(i, _)| i).collect();
            let at = places.get(random.modulo(places.len())).copied().unwrap_or(0);
            *input = format!("{}{}{}", &text[..at], &other[range], &text[at..]).into_bytes();
        }
    }
}

/// The bytes of a random element, from its `<` to the end of its closing tag.
fn element(text: &str, random: &mut Random) -> Option<std::ops::Range<usize>> {
    let starts: Vec<usize> = text
        .match_indices('<')
        .map(|(i, _)| i)
        .filter(|&i| text[i + 1..].starts_with(|c: char| c.is_ascii_alphabetic()))
        .collect();
    let start = *starts.get(random.modulo(starts.len()))?;
    let name: String =
        text[start + 1..].chars().take_while(|c| c.is_alphanumeric() || "_:-".contains(*c)).collect();
    let open_end = start + text[start..].find('>')? + 1;
    if text[..open_end].ends_with("/>") {
        return Some(start..open_end);
    }
    let close = format!("</{name}>");
    let end = open_end + text[open_end..].find(&close)? + close.len();
    Some(start..end)
}
