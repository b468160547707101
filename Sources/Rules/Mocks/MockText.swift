internal import ProxydHTTPModel

/// What came and was captured, as a person can read it: nothing in it moves a cursor.
enum MockText {
    private static let lineCountMax = 1_000
    private static let nameCountMax = 80

    /// Method and URL.
    static func line(_ request: MockRequest) -> String {
        printable("\(request.method.rawValue) \(request.url)", countMax: lineCountMax)
    }

    /// A name of a pair, a part or a member.
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
