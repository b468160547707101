internal import ProxydHTTPModel

/// Requested and captured texts for display, with control characters escaped.
enum MockText {
    private static let lineCountMax = 1_000
    private static let nameCountMax = 80

    /// The method and URL of a request.
    static func line(_ request: MockRequest) -> String {
        printable("\(request.method.rawValue) \(request.url)", countMax: lineCountMax)
    }

    /// The name of a pair, a part or a member.
    static func name(_ name: String) -> String { printable(name, countMax: nameCountMax) }

    private static func printable(_ text: String, countMax: Int) -> String {
        var shown = ""
        for scalar in text.unicodeScalars.prefix(countMax) {
            if isPrintable(scalar) {
                shown.unicodeScalars.append(scalar)
            } else {
                shown += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return text.unicodeScalars.count > countMax ? shown + "…" : shown
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
            .paragraphSeparator:
            false
        default: true
        }
    }
}
