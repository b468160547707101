internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydParameterCoding

extension GoldenMasks {
    /// The maximum size of a masked text in bytes.
    private static let byteCountMax = 256 << 20

    func applied(to url: RawURL) -> RawURL {
        let pieces = url.origin.split(
            separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        var origin = Array(pieces.first ?? [])
        if pieces.count == 2 {
            origin.append(UInt8(ascii: "?"))
            origin += maskedPairs(pieces[1], queryNames)
        }
        let port = hidesPort ? RawURL.defaultPort(scheme: url.scheme) : url.port
        return RawURL(
            scheme: url.scheme, host: hidesHost ? "host.test" : url.host, port: port,
            origin: origin)
    }

    /// The values of these names in a query or a form, masked.
    private func maskedPairs(_ bytes: ArraySlice<UInt8>, _ names: Set<String>) -> [UInt8] {
        guard !names.isEmpty else { return Array(bytes) }
        let pairs = bytes.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        let masked = pairs.map { pair -> [UInt8] in
            guard let name = QueryDecoder().decode(Array(pair)).pairs.first?.name,
                names.contains(name)
            else { return Array(pair) }
            return pair.prefix { $0 != UInt8(ascii: "=") } + Array("=\(GoldenMasks.mark)".utf8)
        }
        return Array(masked.joined(separator: [UInt8(ascii: "&")]))
    }

    /// Names in lower case and values, sorted by name; volatile ones are left out.
    func applied(to head: HeaderFields) -> [GoldenField] {
        let pairs = head.pairs.compactMap { pair -> GoldenField? in
            let name = pair.name.lowercased()
            if fields.contains(name) { return GoldenField(name: name, value: GoldenMasks.mark) }
            guard !GoldenMasks.volatileFields.contains(name) else { return nil }
            if name == "set-cookie" {
                let cookie = pair.value.prefix { $0 != "=" && $0 != ";" }
                return GoldenField(name: name, value: "\(cookie)=\(GoldenMasks.mark)")
            }
            return GoldenField(name: name, value: pair.value)
        }
        // Sorting is not stable, so the index keeps the order of fields of the same name.
        return pairs.enumerated().sorted {
            ($0.element.name, $0.offset) < ($1.element.name, $1.offset)
        }.map(\.element)
    }

    func applied(to body: GoldenBody) -> GoldenBody {
        switch body {
        case .json(let value):
            return .json(replaced(jsonPaths.reduce(value) { masked($0, $1[...]) }))
        case .form(let bytes): return .form(replaced(maskedPairs(bytes[...], formNames)))
        case .text(let text):
            return .text(String(decoding: replaced(Array(text.utf8)), as: UTF8.self))
        case .bytes(let bytes): return .bytes(replaced(bytes))
        case .none: return .none
        }
    }

    private func masked(_ value: JSONValue, _ paths: ArraySlice<JSONValuePath>) -> JSONValue {
        guard let path = paths.first, let found = value.value(at: path) else { return value }
        let rest = paths.dropFirst()
        if rest.isEmpty {
            return (try? value.setting(.string(GoldenMasks.mark), at: path)) ?? value
        }
        guard case .array(let elements) = found else { return value }
        let changed = JSONValue.array(elements.map { masked($0, rest) })
        return (try? value.setting(changed, at: path)) ?? value
    }

    /// The value with the patterns' matches in its strings and numbers replaced.
    private func replaced(_ value: JSONValue) -> JSONValue {
        guard !patterns.isEmpty else { return value }
        switch value {
        case .null, .bool: return value
        case .number(let digits):
            let text = String(decoding: replaced(Array(digits.utf8)), as: UTF8.self)
            return text == digits ? value : .string(text)
        case .string(let text):
            return .string(String(decoding: replaced(Array(text.utf8)), as: UTF8.self))
        case .array(let elements): return .array(elements.map(replaced))
        case .object(let members):
            return .object(
                members.map { JSONValue.Member(name: $0.name, value: replaced($0.value)) })
        }
    }

    private func replaced(_ bytes: [UInt8]) -> [UInt8] {
        patterns.reduce(bytes) { bytes, pattern in
            let outcome = pattern.replacing(
                in: bytes.span, byteCountMax: GoldenMasks.byteCountMax)
            if case .changed(let changed, _, _) = outcome { return changed }
            return bytes
        }
    }
}
