internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydParameterCoding

/// Parses URLs as other programs write them into `RawURL`s.
enum ImportURL {
    /// Parses a request URL: http or https (`ws` and `wss` are mapped to these), and `tunnel` for a
    /// CONNECT. Characters that are invalid in a URL are percent-encoded; a fragment and user
    /// information are removed, since they were not sent.
    static func parse(_ text: String, method: HTTPMethod) throws(ImportProblem) -> RawURL {
        var bytes = EscapeSet.visible.encoded(Array(withHostInASCII(text).utf8))
        if let mark = bytes.firstIndex(of: UInt8(ascii: "#")) { bytes.removeSubrange(mark...) }
        var schemes = [("ws://", "http://"), ("wss://", "https://")]
        if method == .connect { schemes.append(("tunnel://", "http://")) }
        for (from, to) in schemes
        where String(decoding: bytes.prefix(9), as: UTF8.self).lowercased().hasPrefix(from) {
            bytes.replaceSubrange(..<from.utf8.count, with: Array(to.utf8))
        }
        dropUser(&bytes)
        // Uses the wire parser, so that only URLs that can be sent are imported.
        let line = Array("\(method == .options ? "OPTIONS" : "GET") ".utf8)
        let head = try? HeadParser.parseRequestHead(
            line + bytes + Array(" HTTP/1.0\r\n\r\n".utf8), limits: .captured)
        guard let head, case .forward(let url)? = try? EffectiveTarget.resolve(head, via: .proxy)
        else { throw ImportProblem("its URL is not an http or https one") }
        guard method == .connect else { return url }
        return .tunnel(host: url.host, port: url.port)
    }

    /// Adds `http://` to a URL without a scheme, as Insomnia does when it sends the request.
    static func withScheme(_ text: String) -> String {
        guard !text.contains("://") else { return text }
        let authority = text.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard let host = parts.first, parts.count <= 2, host == "localhost" || host.contains("."),
            parts.count == 1 || UInt16(parts[1]) != nil
        else { return text }
        return "http://\(text)"
    }

    /// Encodes a host in another alphabet as clients send it.
    private static func withHostInASCII(_ text: String) -> String {
        guard let start = text.firstRange(of: "://")?.upperBound else { return text }
        let authority = text[start...].prefix { !"/?#\\".contains($0) }
        let hostStart = authority.lastIndex(of: "@").map(authority.index(after:)) ?? start
        let host = authority[hostStart...].prefix { $0 != ":" }
        guard !host.utf8.allSatisfy({ $0 < 0x80 }), let name = InternationalName.ascii(String(host))
        else { return text }
        return text[..<host.startIndex] + name + text[host.endIndex...]
    }

    private static func dropUser(_ bytes: inout [UInt8]) {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            bytes[colon...].starts(with: "://".utf8)
        else { return }
        let start = colon + 3
        let ends = Array("/?".utf8)
        let end = bytes[start...].firstIndex(where: ends.contains) ?? bytes.endIndex
        if let at = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")) {
            bytes.removeSubrange(start...at)
        }
    }
}

/// Host names in other alphabets, in the form that clients send (IDNA, RFC 5891 §4): a label with
/// such letters becomes `xn--` and its Punycode (RFC 3492).
enum InternationalName {
    /// The longest name that DNS allows.
    private static let scalarCountMax = 253
    private static let labelByteCountMax = 63
    /// Characters that count as the ASCII dot (RFC 3490 §3.1).
    private static let dots: Set<Unicode.Scalar> = [".", "\u{3002}", "\u{FF0E}", "\u{FF61}"]
    /// Blocks with letters that can also be written as a letter and a mark.
    private static let composed: [ClosedRange<UInt32>] = [
        0xC0...0x24F, 0x370...0x52F, 0x1E00...0x1FFF, 0x3040...0x30FF,
    ]

    /// The name in ASCII; nil if it has no such form.
    static func ascii(_ name: String) -> String? {
        guard name.unicodeScalars.count <= scalarCountMax else { return nil }
        let scalars = name.lowercased().flatMap(scalars)
        let labels = scalars.split(omittingEmptySubsequences: false) { dots.contains($0) }
            .map { label($0) }
        guard labels.allSatisfy({ $0 != nil }) else { return nil }
        return labels.compactMap { $0 }.joined(separator: ".")
    }

    /// The scalars of a character, composed to one if there is such a letter (NFC).
    private static func scalars(_ character: Character) -> [Unicode.Scalar] {
        let written = Array(character.unicodeScalars)
        guard written.count > 1 else { return written }
        // Characters are equal in either form.
        for case let scalar? in composed.joined().lazy.map(Unicode.Scalar.init)
        where Character(scalar) == character {
            return [scalar]
        }
        return written
    }

    private static func label(_ scalars: ArraySlice<Unicode.Scalar>) -> String? {
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars)
        guard !scalars.allSatisfy(\.isASCII) else { return text }
        guard let code = punycode(Array(scalars)), code.utf8.count + 4 <= labelByteCountMax else {
            return nil
        }
        return "xn--" + code
    }

    // MARK: Punycode (RFC 3492 §5, §6)

    private static let base = 36
    private static let (smallestThreshold, largestThreshold) = (1, 26)
    private static let (skew, damp, firstBias, firstCode) = (38, 700, 72, 128)

    /// - Parameter scalars: At most as many as a name has, so that no number overflows.
    private static func punycode(_ scalars: [Unicode.Scalar]) -> String? {
        let codes = scalars.map { Int($0.value) }
        var output = codes.filter { $0 < firstCode }.map { UInt8($0) }
        let basicCount = output.count
        if basicCount > 0 { output.append(UInt8(ascii: "-")) }
        var (code, delta, bias, handled) = (firstCode, 0, firstBias, basicCount)
        while handled < codes.count {
            guard let next = codes.filter({ $0 >= code }).min() else { return nil }
            delta += (next - code) * (handled + 1)
            code = next
            for other in codes {
                if other < code { delta += 1 }
                guard other == code else { continue }
                write(delta, bias, into: &output)
                bias = adapt(delta, handled + 1, isFirst: handled == basicCount)
                delta = 0
                handled += 1
            }
            delta += 1
            code += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func write(_ delta: Int, _ bias: Int, into output: inout [UInt8]) {
        var (rest, position) = (delta, base)
        while true {
            let threshold = min(max(position - bias, smallestThreshold), largestThreshold)
            guard rest >= threshold else { break }
            output.append(digit(threshold + (rest - threshold) % (base - threshold)))
            rest = (rest - threshold) / (base - threshold)
            position += base
        }
        output.append(digit(rest))
    }

    private static func digit(_ value: Int) -> UInt8 {
        UInt8(value < 26 ? value + 0x61 : value - 26 + 0x30)
    }

    private static func adapt(_ delta: Int, _ count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / damp : delta / 2
        delta += delta / count
        var steps = 0
        while delta > (base - smallestThreshold) * largestThreshold / 2 {
            delta /= base - smallestThreshold
            steps += base
        }
        return steps + (base - smallestThreshold + 1) * delta / (delta + skew)
    }
}
