/// The certificates and the tokens of an exchange.
package enum SecurityLines {
    /// Formats them; if there are none of either, the lines say so.
    /// - Parameters:
    ///   - chain: The server's certificate chain, its own certificate first.
    ///   - now: The current time in nanoseconds since 1970.
    package static func lines(
        _ chain: [CertificateFacts], _ tokens: [FoundToken], _ clock: WallTime, now: Int64
    ) -> [StyledText] {
        var lines = [StyledText("certificates of the server", .heading)]
        if chain.isEmpty { lines.append(StyledText("  none were shown", .dim)) }
        for (index, certificate) in chain.enumerated() {
            lines += certificate.lines(index + 1, clock, now: now)
        }
        lines += [StyledText(), StyledText("JSON Web Tokens", .heading)]
        if tokens.isEmpty { lines.append(StyledText("  none were found", .dim)) }
        for token in tokens { lines += token.lines(clock, now: now) + [StyledText()] }
        if lines.last?.runs.isEmpty == true { lines.removeLast() }
        return lines
    }
}
