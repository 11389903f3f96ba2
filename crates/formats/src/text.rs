//! Bytes as text: UTF-8, or what a byte order mark or an XML declaration says.

/// The text of a file. The error says what is wrong with it and what to do.
pub fn decode(bytes: Vec<u8>) -> Result<String, String> {
    let utf16 = |big: bool| {
        let unit =
            |b: &[u8]| if big { u16::from_be_bytes([b[0], b[1]]) } else { u16::from_le_bytes([b[0], b[1]]) };
        let units: Vec<u16> = bytes[2..].chunks_exact(2).map(unit).collect();
        let whole = bytes.len().is_multiple_of(2);
        String::from_utf16(&units)
            .ok()
            .filter(|_| whole)
            .ok_or_else(|| "begins like UTF-16 text but is damaged; save it as UTF-8".to_string())
    };
    match bytes.get(..2) {
        Some([0xff, 0xfe]) => return utf16(false),
        Some([0xfe, 0xff]) => return utf16(true),
        _ => {}
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) => {
            let bytes = error.as_bytes();
            if is_latin(bytes) {
                // Each byte is the code point of its character.
                return Ok(bytes.iter().map(|&b| char::from(b)).collect());
            }
            let at = error.utf8_error().valid_up_to();
            let line = bytes[..at].iter().filter(|&&b| b == b'\n').count() + 1;
            Err(format!("is not UTF-8 text (line {line})"))
        }
    }
}

/// The text of a URI with `%20` and the like replaced by the characters that they stand for (RFC 3986, section 2.1). A percent
/// sign without two hexadecimal digits stays, and so does all of it if the bytes are not UTF-8.
pub fn percent_decoded(uri: &str) -> String {
    let digit = |c: Option<&u8>| c.and_then(|c| char::from(*c).to_digit(16));
    let (bytes, mut out, mut at) = (uri.as_bytes(), Vec::new(), 0);
    while let Some(&byte) = bytes.get(at) {
        match (digit(bytes.get(at + 1)), digit(bytes.get(at + 2))) {
            (Some(high), Some(low)) if byte == b'%' => {
                out.push((16 * high + low) as u8);
                at += 3;
            }
            _ => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| uri.into())
}

/// Whether an XML declaration says that the file is in Latin 1.
fn is_latin(bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]).to_ascii_lowercase();
    let Some(declaration) = head.find("<?xml").and_then(|i| head[i..].split("?>").next()) else {
        return false;
    };
    ["iso-8859-1", "latin-1", "latin1", "windows-1252", "us-ascii"].iter().any(|e| declaration.contains(e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_by_its_byte_order_mark_or_declaration() {
        let text = "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><robot name=\"Müller\"/>";
        assert_eq!(decode(text.into()).unwrap(), text);
        let little: Vec<u8> = "\u{feff}é𝄞".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(decode(little.clone()).unwrap(), "é𝄞");
        let big: Vec<u8> = "\u{feff}é𝄞".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(decode(big).unwrap(), "é𝄞");
        assert!(decode(little[..little.len() - 1].to_vec()).unwrap_err().contains("UTF-8"));
        let latin: Vec<u8> = text.chars().map(|c| c as u8).collect();
        assert_eq!(decode(latin).unwrap(), text);
        assert!(decode(b"<robot>\n\xfc</robot>".to_vec()).unwrap_err().contains("line 2"));
    }
    #[test]
    fn escapes_of_uris_are_decoded() {
        for (uri, text) in [
            ("a%20b.bin", "a b.bin"),
            ("%C3%A9%2f%", "é/%"),
            ("100%.bin", "100%.bin"),
            ("%ff", "%ff"),
            ("", ""),
        ] {
            assert_eq!(percent_decoded(uri), text);
        }
    }
}
