package import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydParameterCoding

/// Removes credentials from heads and URLs; every other byte stays in place.
package struct HeadRedactor: Sendable {
    private static let placeholder = Array(Redaction.placeholder.utf8)

    private static let urlFields: Set<String> = ["referer", "location", "content-location"]

    private let names: SecretNames
    private let scanner: SecretScanner
    private let pairs: PairRedactor

    package init(_ redaction: Redaction) {
        names = redaction.names
        scanner = redaction.scanner
        pairs = PairRedactor(redaction)
    }

    // MARK: URLs

    package func url(_ url: RawURL) -> RawURL {
        RawURL(scheme: url.scheme, host: url.host, port: url.port, origin: target(url.origin))
    }

    /// Redacts a request target or a URL.
    package func target(_ bytes: [UInt8]) -> [UInt8] {
        guard let mark = bytes.firstIndex(of: UInt8(ascii: "?")) else { return path(bytes) }
        let query = Array(bytes[(mark + 1)...])
        return path(Array(bytes[..<mark])) + [UInt8(ascii: "?")] + (pairs.redacted(query) ?? query)
    }

    /// A path without credentials, and without a long value after a segment that announces one, as
    /// in `/reset-token/4f2a…`.
    private func path(_ bytes: [UInt8]) -> [UInt8] {
        let path = scanner.redacted(bytes) ?? bytes
        guard names.knowsMore else { return authority(path) }
        var segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for index in segments.indices.dropFirst() {
            let isNamed = names.hint(Array(segments[index - 1]).span).isCertain
            if isNamed, TextBytes.isOpaque(Array(segments[index]).span, atLeast: 16) {
                segments[index] = HeadRedactor.placeholder[...]
            }
        }
        return authority(Array(segments.joined(separator: [UInt8(ascii: "/")])))
    }

    /// The target of CONNECT, or a host, without a user.
    private func authority(_ bytes: [UInt8]) -> [UInt8] {
        guard names.knowsMore, let at = bytes.lastIndex(of: UInt8(ascii: "@")), at > 0,
            bytes[..<at].contains(UInt8(ascii: ":")), !bytes.contains(UInt8(ascii: "/"))
        else { return bytes }
        return HeadRedactor.placeholder + bytes[at...]
    }

    // MARK: Heads

    package func request(_ head: RequestHead, _ change: BodyChange) -> RequestHead {
        if head.version >= .http2 { return http2Request(head, change) }
        let target = target(Array(head.target))
        var bytes = Array(head.bytes[..<head.targetRange.lowerBound]) + target
        let line = head.bytes[head.targetRange.upperBound...]
        let lineEnd = line.firstIndex(of: 0x0A) ?? line.endIndex - 1
        bytes += line[...lineEnd]
        bytes += lines(head.fields, change)
        // If the result does not parse again, which should not happen, no field is kept.
        return (try? HeadParser.parseRequestHead(bytes, limits: .captured))
            ?? RequestHead(
                method: head.method, target: target, version: head.version, fields: HeaderFields())
    }

    /// Pseudo-header fields are lines of their own, and one of them is the target.
    private func http2Request(_ head: RequestHead, _ change: BodyChange) -> RequestHead {
        var bytes: [UInt8] = []
        for line in head.pseudoFields {
            bytes += head.bytes[line.range.lowerBound..<line.valueRange.lowerBound]
            bytes += target(Array(head.bytes[line.valueRange]))
            bytes += head.bytes[line.valueRange.upperBound..<line.range.upperBound]
        }
        bytes += lines(head.fields, change)
        let redacted = try? HeadParser.parseRequestHead(bytes, limits: .captured)
        return redacted?.inVersion(head.version).withCodings(head.codings)
            ?? RequestHead(
                method: head.method, target: target(Array(head.target)), version: head.version,
                fields: HeaderFields())
    }

    package func response(_ head: ResponseHead, _ change: BodyChange) -> ResponseHead {
        let lineEnd = head.bytes.firstIndex(of: 0x0A) ?? head.bytes.endIndex - 1
        let line = Array(head.bytes[...lineEnd])
        let bytes = (scanner.redacted(line) ?? line) + lines(head.fields, change)
        let redacted = try? HeadParser.parseResponseHead(bytes, limits: .captured)
        return redacted?.inVersion(head.version).withCodings(head.codings)
            ?? ResponseHead(
                version: head.version, status: head.status, reason: "", fields: HeaderFields())
    }

    package func trailers(_ fields: HeaderFields) -> HeaderFields {
        let bytes = lines(fields, .unchanged)
        return (try? HeadParser.parseTrailers(bytes, limits: .captured)) ?? HeaderFields()
    }

    /// The field lines, followed by the empty line.
    private func lines(_ fields: HeaderFields, _ change: BodyChange) -> [UInt8] {
        var bytes: [UInt8] = []
        for line in fields.lines {
            var value = self.value(Array(fields.bytes[line.valueRange]), of: fields.name(of: line))
            if case .replaced(let body, _) = change {
                if line.name == .contentEncoding { continue }
                if line.name == .contentLength { value = Array("\(body.count)".utf8) }
            }
            bytes += fields.bytes[line.range.lowerBound..<line.valueRange.lowerBound]
            bytes += value
            bytes += fields.bytes[line.valueRange.upperBound..<line.range.upperBound]
        }
        return bytes + [0x0D, 0x0A]
    }

    // MARK: Fields

    /// A field's value without credentials.
    package func value(_ value: [UInt8], of name: String) -> [UInt8] {
        let lowercased = name.lowercased()
        guard names.hidesField(name) else {
            return lowercased == "sec-websocket-protocol"
                ? protocols(value) : freeValue(value, of: lowercased)
        }
        guard !value.isEmpty else { return value }
        switch lowercased {
        case "cookie":
            let pairs = value.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            return Array(pairs.map(cookie).joined(separator: [UInt8(ascii: ";")]))
        case "set-cookie":
            let end = value.firstIndex(of: UInt8(ascii: ";")) ?? value.endIndex
            let attributes = Array(value[end...])
            return cookie(value[..<end]) + (scanner.redacted(attributes) ?? attributes)
        case "authorization", "proxy-authorization":
            guard let space = value.firstIndex(of: 0x20),
                AuthenticationScheme.isKnown(Array(value[..<space]).span)
            else { return HeadRedactor.placeholder }
            return value[...space] + HeadRedactor.placeholder
        default: return HeadRedactor.placeholder
        }
    }

    /// The value of a field whose name does not mark a credential.
    private func freeValue(_ value: [UInt8], of name: String) -> [UInt8] {
        if HeadRedactor.urlFields.contains(name) { return target(value) }
        if name == "host" { return authority(value) }
        return scanner.redacted(value) ?? value
    }

    /// Subprotocols, in which clients that cannot set fields send credentials: `bearer, x`, or
    /// `base64url.bearer.authorization.k8s.io.x` (RFC 6455 §11.3.4).
    private func protocols(_ value: [UInt8]) -> [UInt8] {
        guard names.knowsMore else { return freeValue(value, of: "") }
        var isNamed = false
        let elements = value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        let shown = elements.map { element -> [UInt8] in
            let blank = element.prefix { TextBytes.isBlank($0) }
            let text = element.dropFirst(blank.count)
            defer { isNamed = namesSecret(text) }
            if isNamed, !text.isEmpty { return blank + HeadRedactor.placeholder }
            return blank + subprotocol(Array(text))
        }
        return Array(shown.joined(separator: [UInt8(ascii: ",")]))
    }

    private func namesSecret(_ word: ArraySlice<UInt8>) -> Bool {
        let word = Array(word)
        return AuthenticationScheme.isKnown(word.span) || names.hint(word.span).isCertain
    }

    /// A subprotocol without the text after a part that marks a credential.
    private func subprotocol(_ text: [UInt8]) -> [UInt8] {
        let separators = Array(".|:-".utf8)
        guard
            let dot = separators.first(where: { separator in
                text.split(separator: separator).dropLast().contains(where: namesSecret)
            })
        else { return scanner.redacted(text) ?? text }
        let parts = text.split(separator: dot, omittingEmptySubsequences: false)
        guard parts.count > 1, let named = parts.dropLast().firstIndex(where: namesSecret) else {
            return scanner.redacted(text) ?? text
        }
        // The name continues after the word: `authorization.k8s.io`.
        let kept =
            parts[...named]
            + parts[(named + 1)...].dropLast().prefix {
                !TextBytes.isOpaque(Array($0).span, atLeast: 12)
            }
        return Array((kept + [HeadRedactor.placeholder[...]]).joined(separator: [dot]))
    }

    /// A cookie keeps its name; one without a name is treated as all value.
    private func cookie(_ pair: ArraySlice<UInt8>) -> [UInt8] {
        guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else {
            let blank = pair.prefix { $0 == 0x20 }
            return blank + (blank.count == pair.count ? [] : HeadRedactor.placeholder)
        }
        return pair[...equals] + (equals == pair.endIndex - 1 ? [] : HeadRedactor.placeholder)
    }
}

/// Removes credentials from the pairs of a query or a form.
struct PairRedactor: Sendable {
    /// Parameters beside an OAuth `code` (RFC 6749 §4.1), without which it is rarely a credential.
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

    /// The part of a pair to hide: its value, or all of it, if its name contains a credential.
    private func secret(in pair: EncodedPair, isOAuth: Bool, hasState: Bool) -> Range<Int>? {
        let whole = pair.rawName.lowerBound..<(pair.rawValue ?? pair.rawName).upperBound
        if scanner.containsSecrets(Array(pair.name.utf8).span) { return whole }
        guard let value = pair.value, let raw = pair.rawValue else { return nil }
        let text = Array(value.utf8)
        let isCode =
            pair.name == "code" && (isOAuth || hasState && text.contains { !TextBytes.isDigit($0) })
        let isHidden = isCode || isSecret(text, of: pair.name) || scanner.containsSecrets(text.span)
        return isHidden ? raw : nil
    }

    private func isSecret(_ value: [UInt8], of name: String) -> Bool {
        let finder = SecretFinder(names, syntax: .free)
        return finder.isSecret(value.span, names.hint(UnescapedText.fully(name).span))
    }
}

extension UnescapedText {
    /// A name with all its escapes decoded.
    static func fully(_ name: String) -> [UInt8] {
        let bytes = Array(name.utf8)
        guard var level = UnescapedText(bytes.span) else { return bytes }
        for _ in 0..<8 where !level.decodeLevel() { break }
        return level.bytes
    }
}
