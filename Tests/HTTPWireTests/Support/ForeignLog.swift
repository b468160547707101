import Foundation

/// Reads the event log of the shared collection: `off=0 len=3 span[method]="GET"` and the like.
enum ForeignLog {
    /// Lines that can be compared with those of `reduced(_:)`.
    static func transcript(_ log: [String], isResponse: Bool) -> [String] {
        var lines: [String] = []
        var spans: [String: String] = [:]
        var body = ""
        var isTrailer = false
        for event in log {
            if let (name, text) = span(event) {
                if name == "body" { body += text } else { spans[name, default: ""] += text }
            } else if event.contains(" message begin") {
                (spans, body, isTrailer) = ([:], "", false)
            } else if event.contains(" header_value complete") {
                let name = spans.removeValue(forKey: "header_field") ?? ""
                let value = plain(spans.removeValue(forKey: "header_value") ?? "")
                if isTrailer && !body.isEmpty { lines.append(plain("body \(body)")) }
                if isTrailer { body = "" }
                lines.append("\(isTrailer ? "trailer" : "field") \(name):\(value)")
            } else if event.contains(" version complete") && isResponse {
                lines.append("start \(spans["version"] ?? "")")
            } else if event.contains(" version complete") {
                let start = [spans["method"], spans["url"], spans["version"]]
                lines.append("start " + plain(start.map { $0 ?? "" }.joined(separator: " ")))
            } else if event.contains(" headers complete") {
                isTrailer = true
                lines.append("complete")
            } else if event.contains(" message complete") {
                if !body.isEmpty { lines.append(plain("body \(body)")) }
                lines.append("end")
                body = ""
            }
        }
        if !body.isEmpty { lines.append(plain("body \(body)")) }
        // Heads that are not complete are not told by our decoders.
        while let last = lines.last, last.hasPrefix("start ") || last.hasPrefix("field ") {
            lines.removeLast()
        }
        return lines
    }

    /// Our transcript with the same details as `transcript(_:isResponse:)`.
    static func reduced(_ ours: [String]) -> [String] {
        var lines: [String] = []
        var isInHead = false
        func closeHead() {
            if isInHead { lines.append("complete") }
            isInHead = false
        }
        for line in ours {
            let kind = String(line.prefix { $0 != " " })
            let rest = line.dropFirst(kind.count + 1)
            if kind != "field" { closeHead() }
            switch kind {
            case "field", "trailer":
                let name = rest.prefix { $0 != ":" }
                lines.append("\(kind) \(name):\(plain(rest.dropFirst(name.count + 1)))")
            case "head", "informational":
                lines.append("start \(startLine(rest))")
                isInHead = true
            case "body", "end": lines.append(plain(line))
            default: break
            }
        }
        closeHead()
        return lines
    }

    /// Our start line without what the other log does not tell: reason and framing.
    private static func startLine(_ line: Substring) -> String {
        let words = line.split(separator: " ")
        let isRequest = !line.hasPrefix("HTTP/")
        return plain(words.prefix(isRequest ? 3 : 1).joined(separator: " "))
    }

    /// Text without the details in which the two notations differ: white space at the ends,
    /// backslashes before quotes, how bytes above 0x7F are written.
    private static func plain(_ text: some StringProtocol) -> String {
        var text = String(text)
        for (noise, instead) in [("\\t", " "), ("\\\"", "\""), ("HTTP/", "")] {
            text = text.replacingOccurrences(of: noise, with: instead)
        }
        text = text.replacingOccurrences(
            of: "\\\\x[89a-f][0-9a-f]",
            with: "",
            options: .regularExpression
        )
        text.unicodeScalars.removeAll { $0.value > 0x7F }
        return text.trimmingCharacters(in: .whitespaces)
    }

    private static func span(_ event: String) -> (name: String, text: String)? {
        guard let open = event.firstRange(of: "span["), let close = event.firstRange(of: "]=")
        else { return nil }
        let text = event[close.upperBound...]
        let name = String(event[open.upperBound..<close.lowerBound])
        switch text {
        case "cr": return (name, "\\r")
        case "lf": return (name, "\\n")
        default: return (name, String(text.dropFirst().dropLast()))
        }
    }
}
