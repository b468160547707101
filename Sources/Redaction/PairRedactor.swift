internal import ProxydParameterCoding

/// Removes credentials from the pairs of a query or a form.
struct PairRedactor: Sendable {
    /// Parameters that accompany an OAuth `code` (RFC 6749 §4.1); without them, a `code` is rarely
    /// a credential.
    private static let companions: Set<String> = [
        "grant_type", "redirect_uri", "client_secret", "code_verifier",
    ]

    private let names: SecretNames
    private let scanner: SecretScanner

    init(_ redaction: Redaction) {
        names = redaction.names
        scanner = redaction.scanner
    }

    /// The pairs without credentials; nil if there are none.
    func redacted(_ bytes: [UInt8]) -> [UInt8]? {
        let pairs = QueryDecoder().decode(bytes).pairs
        let isOAuth =
            names.knowsMore && pairs.contains { PairRedactor.companions.contains($0.name) }
        let hasState = names.knowsMore && pairs.contains { $0.name == "state" }
        let placeholder = Redaction.placeholder.utf8
        let hidden = pairs.compactMap { pair -> Range<Int>? in
            guard let range = secret(in: pair, isOAuth: isOAuth, hasState: hasState),
                !range.isEmpty,
                !bytes[range].elementsEqual(placeholder)
            else { return nil }
            return range
        }
        return hidden.isEmpty ? nil : SecretScanner.replacing(hidden, in: bytes)
    }

    /// What of a pair is hidden: its value, or all of it, if its name contains a credential.
    private func secret(
        in pair: EncodedPair, isOAuth: Bool, hasState: Bool
    ) -> Range<Int>? {
        let whole = pair.rawName.lowerBound..<(pair.rawValue ?? pair.rawName).upperBound
        if scanner.holdsSecrets(Array(pair.name.utf8).span) { return whole }
        guard let value = pair.value, let raw = pair.rawValue else { return nil }
        let text = Array(value.utf8)
        let isCode =
            pair.name == "code"
            && (isOAuth || hasState && text.contains { !TextBytes.isDigit($0) })
        let isHidden =
            isCode || isSecret(text, of: pair.name) || scanner.holdsSecrets(text.span)
        return isHidden ? raw : nil
    }

    private func isSecret(_ value: [UInt8], of name: String) -> Bool {
        let finder = SecretFinder(names, syntax: .free)
        return finder.isSecret(value.span, names.telling(DecodedText.fully(name).span))
    }
}

extension DecodedText {
    /// A name without any escapes.
    static func fully(_ name: String) -> [UInt8] {
        let bytes = Array(name.utf8)
        guard var level = DecodedText(bytes.span) else { return bytes }
        for _ in 0..<8 where !level.decodeLevel() { break }
        return level.bytes
    }
}
