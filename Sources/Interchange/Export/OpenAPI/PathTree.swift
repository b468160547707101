internal import ProxydHTTPModel
internal import ProxydRedaction

/// The paths of captured requests, segment by segment. Segments that are values share one branch;
/// so do the last branches once enough of them lead to the same operations.
struct PathTree {
    private static let nodeCountMax = 20_000
    private static let siblingCountMin = 3
    private static let depthMax = 64

    /// The operations of a path, and the servers that have it.
    struct Endpoint {
        var operations: [String: OperationGuess] = [:]
        var servers: Set<String> = []

        mutating func merge(_ other: Endpoint) {
            servers.formUnion(other.servers)
            for (method, operation) in other.operations {
                operations[method, default: OperationGuess()].merge(operation)
            }
        }
    }

    private struct Node {
        var children: [String: Node] = [:]
        /// The branch of segments that are values, at most one, and their shape.
        var value: [Node] = []
        var shape = SegmentShape.integer
        var endpoint: Endpoint?

        mutating func merge(_ other: Node) {
            if let end = other.endpoint {
                var own = endpoint ?? Endpoint()
                own.merge(end)
                endpoint = own
            }
            for (name, child) in other.children { children[name, default: Node()].merge(child) }
            if let child = other.value.first {
                shape = value.isEmpty ? other.shape : max(shape, other.shape)
                var own = value.popLast() ?? Node()
                own.merge(child)
                value = [own]
            }
        }

        /// Equal for branches that differ only in a value; nil if nothing identifies them.
        var signature: String? {
            var parts: [String] = []
            var tells = false
            for (method, operation) in (endpoint?.operations ?? [:]).sorted(by: { $0.key < $1.key })
            {
                let found = operation.signature
                tells = tells || found != nil
                parts.append("\(method) \(found ?? "")")
            }
            for (name, child) in children.sorted(by: { $0.key < $1.key }) {
                let found = child.signature
                tells = tells || found != nil
                parts.append("/\(name){\(found ?? "")}")
            }
            if let found = value.first?.signature {
                tells = true
                parts.append("/*{\(found)}")
            }
            return tells ? parts.joined(separator: ";") : nil
        }
    }

    private var root = Node()
    private var nodeCount = 0

    /// Changes the endpoint of a path; does nothing if there are too many.
    mutating func update(_ path: String, _ change: (inout Endpoint) -> Void) {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard segments.count <= PathTree.depthMax else { return }
        PathTree.update(&root, segments[...], &nodeCount, change)
    }

    private static func update(
        _ node: inout Node, _ segments: ArraySlice<Substring>, _ nodeCount: inout Int,
        _ change: (inout Endpoint) -> Void
    ) {
        guard let first = segments.first else {
            var endpoint = node.endpoint ?? Endpoint()
            change(&endpoint)
            node.endpoint = endpoint
            return
        }
        let rest = segments.dropFirst()
        if let shape = SegmentShape(first) {
            node.shape = node.value.isEmpty ? shape : max(node.shape, shape)
            var child = node.value.popLast() ?? Node()
            update(&child, rest, &nodeCount, change)
            node.value = [child]
            return
        }
        let name = String(first)
        if node.children[name] == nil {
            guard nodeCount < nodeCountMax else { return }
            nodeCount += 1
        }
        update(&node.children[name, default: Node()], rest, &nodeCount, change)
    }

    /// A path with the parameters in it.
    struct Template {
        let path: String
        let parameters: [(name: String, shape: SegmentShape)]
        let endpoint: Endpoint
    }

    /// All paths as templates, sorted.
    func templates() -> [Template] {
        var root = root
        PathTree.collapse(&root)
        var templates: [Template] = []
        PathTree.collect(root, "", [], "", &templates)
        return templates.sorted { $0.path < $1.path }
    }

    /// Merges branches that differ only in their first segment.
    private static func collapse(_ node: inout Node) {
        for name in node.children.keys {
            if var child = node.children[name] {
                collapse(&child)
                node.children[name] = child
            }
        }
        if var child = node.value.popLast() {
            collapse(&child)
            node.value = [child]
        }
        let groups = Dictionary(grouping: node.children.keys) { node.children[$0]?.signature ?? "" }
        let valued = node.value.first?.signature
        for (signature, names) in groups where !signature.isEmpty {
            guard names.count >= siblingCountMin || signature == valued else { continue }
            var child = node.value.popLast() ?? Node()
            for name in names.sorted() {
                if let same = node.children.removeValue(forKey: name) { child.merge(same) }
            }
            node.value = [child]
            node.shape = .text
        }
    }

    private static func collect(
        _ node: Node, _ path: String, _ parameters: [(name: String, shape: SegmentShape)],
        _ before: String, _ templates: inout [Template]
    ) {
        if let endpoint = node.endpoint {
            templates.append(
                Template(
                    path: path.isEmpty ? "/" : path, parameters: parameters, endpoint: endpoint))
        }
        for (name, child) in node.children {
            // Braces are for parameters.
            let shown = name.replacing("{", with: "%7B").replacing("}", with: "%7D")
            collect(child, "\(path)/\(shown)", parameters, name, &templates)
        }
        if let child = node.value.first {
            let name = parameterName(before, parameters.map(\.name))
            collect(child, "\(path)/{\(name)}", parameters + [(name, node.shape)], "", &templates)
        }
    }

    /// `userId` after `users`.
    private static func parameterName(_ before: String, _ taken: [String]) -> String {
        var word = ""
        var startsWord = false
        for character in before where word.count < 40 {
            if character.isASCII, character.isLetter || character.isNumber {
                word += startsWord && !word.isEmpty ? character.uppercased() : String(character)
                startsWord = false
            } else {
                startsWord = true
            }
        }
        if word.hasSuffix("ies") {
            word = word.dropLast(3) + "y"
        } else if word.hasSuffix("ses") || word.hasSuffix("xes") {
            word = String(word.dropLast(2))
        } else if word.hasSuffix("s"), !word.hasSuffix("ss") {
            word = String(word.dropLast())
        }
        let name = word.isEmpty ? "id" : "\(word)Id"
        guard taken.contains(name) else { return name }
        return "\(name)\(taken.count + 1)"
    }
}

/// The kinds of values, as opposed to names, that path segments and other names may be.
enum SegmentShape: Int, Comparable {
    case integer
    case uuid
    /// Anything else, such as a hash or a name that is not part of the interface.
    case text

    private static let byteCountMax = 40
    static func < (left: SegmentShape, right: SegmentShape) -> Bool {
        left.rawValue < right.rawValue
    }

    /// Whether a text where a name is expected is a value.
    static func isValue(_ name: String) -> Bool { SegmentShape(name[...]) != nil }

    /// Whether a text is a date: `2024-01-31`.
    static func isDate(_ bytes: [UInt8]) -> Bool {
        bytes.count == 10
            && bytes.indices.allSatisfy {
                $0 == 4 || $0 == 7 ? bytes[$0] == 0x2D : (0x30...0x39).contains(bytes[$0])
            }
    }

    /// The shape of a value; nil for what may be a name.
    init?(_ segment: Substring) {
        let bytes = Array(segment.utf8)
        let isDigit = { (byte: UInt8) in (0x30...0x39).contains(byte) }
        let isHex = { (byte: UInt8) in
            isDigit(byte) || (0x61...0x66).contains(byte) || (0x41...0x46).contains(byte)
        }
        let digitCount = bytes.count(where: isDigit)
        if !bytes.isEmpty, digitCount == bytes.count {
            self = bytes.count <= 18 ? .integer : .text
        } else if bytes.count == 36, bytes.count(where: { $0 == 0x2D }) == 4,
            bytes.allSatisfy({ isHex($0) || $0 == 0x2D })
        {
            self = .uuid
        } else if bytes.count >= 8, digitCount > 0, bytes.allSatisfy(isHex) {
            self = .text
        } else if bytes.count > SegmentShape.byteCountMax
            || SegmentShape.hasMark(bytes) || SegmentShape.looksRandom(bytes)
            || SegmentShape.hasSecret(bytes) || !PathWords.areIn(bytes)
        {
            self = .text
        } else {
            return nil
        }
    }

    /// Addresses, escapes and pairs. A name of JSON-LD starts with `@`.
    private static func hasMark(_ bytes: [UInt8]) -> Bool {
        bytes.dropFirst().contains(UInt8(ascii: "@")) || bytes.contains(UInt8(ascii: "%"))
            || bytes.contains(UInt8(ascii: "="))
    }

    /// The scanner finds secrets only after these marks.
    private static func hasSecret(_ bytes: [UInt8]) -> Bool {
        guard bytes.contains(where: { $0 == 0x20 || $0 == 0x3A || $0 == 0x3E }) else {
            return false
        }
        return Redaction().containsSecrets(bytes)
    }

    /// Keys and tokens have digits between letters, and no words.
    private static func looksRandom(_ bytes: [UInt8]) -> Bool {
        let digitCount = bytes.count { (0x30...0x39).contains($0) }
        guard bytes.count >= 16, digitCount >= 3 else { return false }
        var changeCount = 0
        for (first, second) in zip(bytes, bytes.dropFirst())
        where (0x30...0x39).contains(first) != (0x30...0x39).contains(second) { changeCount += 1 }
        return changeCount >= 4
    }
}

/// Distinguishes names from keys and tokens, without a dictionary: words are pronounceable.
enum PathWords {
    /// The size from which every part of a name must be a word.
    private static let byteCountMin = 16
    private static let wordByteCountMax = 20
    /// Parts of common names that are words without a vowel.
    private static let abbreviations: Set<String> = [
        "html", "http", "https", "xml", "css", "ssl", "tls", "pdf", "sql", "jwt", "pwd", "str",
        "src", "msg", "img", "btn", "txt", "ctx", "cfg", "rss", "xhr", "lng", "num", "ttl", "dns",
        "tcp", "vpn", "sms", "png", "svg", "csv", "cdn", "rgb", "www", "dst", "tmp", "ptr", "cmd",
        "sdk", "xss", "nft", "mfa", "pnr", "ssn", "npm", "grpc", "crm", "pct", "qty", "amt",
    ]

    static func areIn(_ bytes: [UInt8]) -> Bool {
        // Digits and marks alone are an address, a time, or a version.
        let isNumber = bytes.allSatisfy { !isLetter($0) } && bytes.contains(where: isDigit)
        guard !isNumber else { return bytes.count <= 4 }
        let isLong = bytes.count >= byteCountMin
        let pieces = bytes.split { !isLetter($0) && !isDigit($0) }
        if isLong, bytes.contains(where: { !isLetter($0) && !isDigit($0) && !isSeparator($0) }) {
            return false
        }
        return pieces.allSatisfy { isPiece(Array($0), isLong: isLong) }
    }

    /// Whether a part between separators may be part of a name.
    private static func isPiece(_ bytes: [UInt8], isLong: Bool) -> Bool {
        let hasDigit = bytes.contains(where: isDigit)
        let isMixed = bytes.contains(where: isLower) && bytes.contains(where: isUpper)
        if !isLong {
            // Short words are not examined further.
            if !isMixed, !hasDigit { return true }
            if isMixed, !hasDigit, bytes.count < 8 { return true }
            if !isMixed, bytes.count < 6 || changeCount(bytes) < 3 { return true }
        }
        if bytes.allSatisfy(isDigit) { return bytes.count <= 4 }
        let words = words(bytes)
        // Names contain few single-letter words.
        guard !isMixed || bytes.count * 10 >= words.count * 22 || bytes.count < 8 else {
            return false
        }
        return words.enumerated().allSatisfy { index, word in
            guard word.contains(where: isDigit) else { return isWord(word, isMixed: isMixed) }
            // A number ends a part, or a word within it.
            return word.count <= 4 && index > 0
                && (index == words.count - 1
                    || words[index - 1].contains(where: isLower) && isUpper(words[index + 1][0])
                        && index == words.count - 2)
        }
    }

    /// `userID2` is `user`, `ID` and `2`; `HTTPResponse` is `HTTP` and `Response`.
    private static func words(_ bytes: [UInt8]) -> [[UInt8]] {
        var words: [[UInt8]] = []
        for (index, byte) in bytes.enumerated() {
            let last = index > 0 ? bytes[index - 1] : nil
            let next = index + 1 < bytes.count ? bytes[index + 1] : nil
            var isFirst = last.map { isDigit($0) != isDigit(byte) } ?? true
            if let last, isUpper(byte) {
                isFirst =
                    isFirst || isLower(last) || next.map { isUpper(last) && isLower($0) } ?? false
            }
            if isFirst { words.append([]) }
            words[words.count - 1].append(byte)
        }
        return words
    }

    private static func isWord(_ bytes: [UInt8], isMixed: Bool) -> Bool {
        guard bytes.allSatisfy({ $0 < 0x80 }) else { return true }
        // Plural of an abbreviation, or one of an abbreviation's usual length.
        if bytes.allSatisfy(isUpper), isMixed { return bytes.count <= 5 }
        let word = bytes.map(ASCII.lowercased)
        if word.count <= 2 { return true }
        guard word.count <= wordByteCountMax else { return false }
        if abbreviations.contains(String(decoding: word, as: UTF8.self)) { return true }
        var vowelCount = 0
        var run = 0
        var rareCount = 0
        for byte in word {
            if "aeiouy".utf8.contains(byte) {
                vowelCount += 1
                run = 0
            } else {
                run += 1
                if run > 5 { return false }
            }
            if "jqxz".utf8.contains(byte) { rareCount += 1 }
        }
        return vowelCount * 6 >= word.count && rareCount * 4 <= max(4, word.count)
    }

    private static func changeCount(_ bytes: [UInt8]) -> Int {
        zip(bytes, bytes.dropFirst()).count { isDigit($0) != isDigit($1) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    private static func isLower(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
    private static func isUpper(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        isLower(byte) || isUpper(byte) || byte >= 0x80
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        " -_.:,/[]()$#~@*!?'".utf8.contains(byte)
    }
}
