internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// The compared parts of a request, as hashes: bodies are not kept.
package struct MockKey: Hashable, Sendable {
    /// The hash of method, scheme, host, port and path.
    let place: UInt64
    let query: UInt64
    let body: UInt64
    /// The hash of all compared header fields.
    let headers: UInt64

    /// The hash of each compared header field, from which `headers` is computed.
    static func headerHashes(of request: MockRequest, _ matching: MockMatching) -> [UInt64] {
        matching.headers.map { name in
            MockHash.of { hash in
                for value in request.fields.values(named: name) { hash.combine(value) }
            }
        }
    }

    /// Hashes a request.
    package init(_ request: MockRequest, _ matching: MockMatching = .standard) {
        self.init(
            request, matching, headerHashes: MockKey.headerHashes(of: request, matching))
    }

    init(_ request: MockRequest, _ matching: MockMatching, headerHashes: [UInt64]) {
        place = MockKey.place(of: request)
        query = MockKey.pairs(
            Array(request.url.query ?? []), without: matching.ignoredQuery)
        body = MockBody(request).hash(matching)
        headers = MockHash.of { hash in headerHashes.forEach { hash.combine($0) } }
    }

    /// Hashes method, scheme, host, port and path.
    static func place(of request: MockRequest) -> UInt64 {
        MockHash.of { hash in
            hash.combine(request.method.rawValue)
            hash.combine(request.url.scheme)
            hash.combine(request.url.host.utf8.map(ASCII.lowercased))
            hash.combine(UInt64(request.url.port))
            hash.combine(MockKey.normalised(request.url.path))
        }
    }

    /// Hashes the pairs of a query or of a form, in any order. `a` and `a=` are equal.
    static func pairs(_ bytes: [UInt8], without ignored: Set<String>) -> UInt64 {
        let pairs = QueryDecoder().decode(bytes).pairs
        return MockHash.ofSet(
            pairs.compactMap { pair in
                let isEmpty = pair.name.isEmpty && pair.value == nil
                guard !isEmpty, !ignored.contains(pair.name) else { return nil }
                return MockHash.of { hash in
                    hash.combine(pair.name)
                    hash.combine(pair.value ?? "")
                }
            })
    }

    /// Normalizes the escapes of a path (RFC 3986 §6.2.2): those of letters, digits and `-._~` are
    /// decoded, the others get upper-case digits.
    private static func normalised(_ path: ArraySlice<UInt8>) -> [UInt8] {
        var normalised: [UInt8] = []
        var rest = path
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else {
                normalised.append(byte)
                continue
            }
            if isUnreserved(value) {
                normalised.append(value)
            } else {
                normalised.append(byte)
                normalised += String(decoding: rest.prefix(2), as: UTF8.self).uppercased().utf8
            }
            rest = rest.dropFirst(2)
        }
        return normalised
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._~".utf8.contains(byte)
        }
    }
}
