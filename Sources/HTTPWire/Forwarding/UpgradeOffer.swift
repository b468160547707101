internal import ProxydHTTPModel

/// Decides which protocols of an Upgrade field are forwarded. Cleartext HTTP/2 is not: a server
/// that switched to it would escape both recording and framing.
enum UpgradeOffer {
    /// Whether any protocol of any line may be forwarded.
    static func hasAllowed(_ fields: HeaderFields) -> Bool {
        for line in fields.lines where line.name == .upgrade {
            if count(line, of: fields).allowed > 0 { return true }
        }
        return false
    }

    /// Returns how many protocols a line lists, and how many of them may be forwarded.
    static func count(
        _ line: HeaderFields.Line,
        of fields: HeaderFields
    ) -> (all: Int, allowed: Int) {
        let bytes = fields.bytes.span
        var all = 0
        var allowed = 0
        ListMembers.forEach(bytes, line.valueRange) { member in
            all &+= 1
            if isAllowed(bytes.extracting(member)) { allowed &+= 1 }
        }
        return (all, allowed)
    }

    /// Writes the protocols of a line that may be forwarded.
    static func writeAllowed(
        _ line: HeaderFields.Line,
        of fields: HeaderFields,
        into output: inout [UInt8]
    ) {
        let bytes = fields.bytes.span
        var isFirst = true
        ListMembers.forEach(bytes, line.valueRange) { member in
            guard isAllowed(bytes.extracting(member)) else { return }
            if !isFirst { output.append(", ") }
            isFirst = false
            output.append(contentsOf: fields.bytes[member])
        }
    }

    /// Whether a protocol may be forwarded.
    static func isAllowed(_ name: Span<UInt8>) -> Bool {
        !ASCII.equalsIgnoringCase(name, "h2c") && !ASCII.equalsIgnoringCase(name, "h2")
    }
}
