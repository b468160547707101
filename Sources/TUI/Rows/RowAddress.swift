internal import ProxydPresentation
internal import ProxydCaptureModel
internal import ProxydTerminalText

/// Scheme, host and port of a row, shortened to fit: first the scheme is dropped, then the start of
/// the host. The port is shown if it is not the scheme's default.
struct RowAddress {
    private let scheme: String
    private let authority: String

    init(_ row: ExchangeRow) {
        guard let host = row.host else {
            scheme = ""
            authority = "-"
            return
        }
        scheme = row.scheme.map { TerminalText.sanitize($0) + "://" } ?? ""
        let safe = TerminalText.sanitize(host)
        let shown = host.utf8.contains(UInt8(ascii: ":")) ? "[\(safe)]" : safe
        let usual = row.scheme == "https" ? 443 : row.scheme == "http" ? 80 : nil
        authority = row.port.flatMap { $0 == usual ? nil : "\(shown):\($0)" } ?? shown
    }

    /// The width of the complete address.
    var width: Int { TerminalText.displayWidth(scheme + authority) }

    /// The address shortened to a number of columns.
    func line(width: Int) -> StyledText {
        if self.width <= width {
            return StyledText(scheme, Style(.dim)) + StyledText(authority, Style(.accent))
        }
        return StyledText(RowAddress.end(authority, width), Style(.accent))
    }

    /// The end of a host that does not fit; the start is dropped.
    private static func end(_ host: String, _ width: Int) -> String {
        guard TerminalText.displayWidth(host) > width else { return host }
        var kept = Substring(host)
        while !kept.isEmpty, TerminalText.displayWidth(String(kept)) > width - 1 {
            kept = kept.dropFirst()
        }
        return "…" + kept
    }
}
