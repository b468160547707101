internal import ProxydParameterCoding

/// A request as JavaScript.
enum FetchSnippet {
    static func text(_ parts: SnippetParts) -> String {
        var lines = ["await fetch(\(literal(parts.url)), {"]
        lines.append("  method: \(literal(parts.method)),")
        if !parts.fields.isEmpty {
            lines.append("  headers: [")
            for field in parts.fields {
                lines.append("    [\(literal(field.name)), \(literal(field.value))],")
            }
            lines.append("  ],")
        }
        if let text = parts.text {
            lines.append("  body: \(literal(text)),")
        } else if !parts.body.isEmpty {
            let base64 = literal(Base64.text(parts.body))
            lines.append("  body: Uint8Array.from(atob(\(base64)), (c) => c.charCodeAt(0)),")
        }
        return (lines + ["});"]).joined(separator: "\n")
    }

    private static func literal(_ text: String) -> String {
        SnippetLiteral.quoted(text) { scalar in
            String(scalar).utf16.map { "\\u" + SnippetLiteral.hex($0, 4) }.joined()
        }
    }
}
