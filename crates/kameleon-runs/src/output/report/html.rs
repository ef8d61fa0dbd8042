//! Text made safe for a page, and a page filled in.

use serde::Serialize;

/// The text as HTML that shows it and does nothing else, in an element or in a quoted attribute.
pub fn escape(text: &str) -> String {
    let safe = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    safe.replace('"', "&quot;").replace('\'', "&#39;")
}

/// JSON that can stand inside a script element: nothing in it can close the element or open a comment.
pub(super) fn script_safe(data: &impl Serialize) -> String {
    let json = serde_json::to_string(data).unwrap_or("null".into());
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

/// Puts each part in the place of its mark, in one pass: what is put in is never looked at again.
pub(super) fn fill(page: &str, parts: &[(&str, String)]) -> String {
    let mut filled = String::new();
    let mut rest = page;
    while let Some(start) = rest.find("{{") {
        filled.push_str(&rest[..start]);
        rest = &rest[start..];
        match parts.iter().find(|(mark, _)| rest.starts_with(mark)) {
            Some((mark, part)) => {
                filled.push_str(part);
                rest = &rest[mark.len()..];
            }
            None => {
                filled.push_str("{{");
                rest = &rest[2..];
            }
        }
    }
    filled + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_leave_its_place() {
        assert_eq!(escape("<b a='1'>\"&"), "&lt;b a=&#39;1&#39;&gt;&quot;&amp;");
        let json = script_safe(&"</script><!--");
        assert!(!json.contains('<'), "{json}");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), "</script><!--");
    }

    #[test]
    fn a_part_that_looks_like_a_mark_stays_as_it_is() {
        let parts = [("{{a}}", "{{b}}".to_string()), ("{{b}}", "!".to_string())];
        assert_eq!(fill("{{a}} {{b}} {{c}}", &parts), "{{b}} ! {{c}}");
    }
}
