internal import ProxydCivilTime
public import ProxydHTTPModel

/// Makes a recorded response as fresh as it was when it was recorded.
public enum MockDates {
    /// Returns the fields with their dates moved: Date, Expires, Last-Modified, and Expires of
    /// Set-Cookie. Age is removed, because the response does not come from a cache now; Max-Age is
    /// kept, because it is not a date. Everything else, including invalid dates, stays byte for
    /// byte.
    /// - Parameter seconds: How long ago the response was recorded.
    public static func refreshed(
        _ fields: HeaderFields, bySeconds seconds: Int64
    ) -> HeaderFields {
        var all = fields
        var lines: [HeaderFields.Line] = []
        for line in fields.lines {
            let name = fields.bytes.span.extracting(line.nameRange)
            if ASCII.equalsIgnoringCase(name, "age") { continue }
            let value = Array(fields.bytes[line.valueRange])
            guard let moved = moved(value, of: name, by: seconds) else {
                lines.append(line)
                continue
            }
            all.append(name: Array(fields.bytes[line.nameRange]), value: moved)
            lines += all.lines.suffix(1)
        }
        return HeaderFields(bytes: all.bytes, lines: lines)
    }

    /// Returns a field value with its date moved, or nil if it has no valid date.
    private static func moved(
        _ value: [UInt8], of name: Span<UInt8>, by seconds: Int64
    ) -> [UInt8]? {
        let isDate =
            ASCII.equalsIgnoringCase(name, "date") || ASCII.equalsIgnoringCase(name, "expires")
            || ASCII.equalsIgnoringCase(name, "last-modified")
        if isDate { return moved(value[...], by: seconds) }
        guard ASCII.equalsIgnoringCase(name, "set-cookie") else { return nil }
        return movedCookie(value, by: seconds)
    }

    private static func moved(_ value: ArraySlice<UInt8>, by seconds: Int64) -> [UInt8]? {
        guard let date = CookieDateReader.secondsSinceEpoch(value) else { return nil }
        let (sum, isOver) = date.addingReportingOverflow(seconds)
        let time = CivilTime(secondsSinceEpoch: sum)
        // A year has four digits in HTTP.
        guard !isOver, (0...9_999).contains(time.date.year) else { return nil }
        return Array(time.imfFixdate.utf8)
    }

    private static func movedCookie(_ value: [UInt8], by seconds: Int64) -> [UInt8]? {
        var start = 0
        while let semicolon = value[start...].firstIndex(of: UInt8(ascii: ";")) {
            start = semicolon + 1
            let attribute = value[start...].prefix { $0 != UInt8(ascii: ";") }
            guard let equals = attribute.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let span = value.span
            let name = span.extracting(ASCII.trimmingOWS(span, start..<equals))
            guard ASCII.equalsIgnoringCase(name, "expires") else { continue }
            return moved(attribute[(equals + 1)...], by: seconds).map {
                value[...equals] + $0 + value[attribute.endIndex...]
            }
        }
        return nil
    }
}
