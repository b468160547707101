package import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydInterchange
internal import ProxydParameterCoding
internal import ProxydPresentation
internal import ProxydRules

/// Compares exchanges with a golden file, or makes its contents.
package struct GoldenCheck {
    static let entryCountMax = 10_000
    /// The maximum size of all their bodies in bytes: all of them are in memory.
    static let byteCountMax = GoldenText.byteCountMax
    private static let differenceCountMax = 20

    private let golden: GoldenExpectation
    private var entries: [GoldenEntry] = []
    private var rows: [ExchangeRow] = []
    private var result: AssertionResult
    private var byteCount = 0
    private var isTooLong = false

    package init(_ golden: GoldenExpectation, _ run: AssertionRun) throws(StoreError) {
        self.golden = golden
        result = AssertionResult(kind: .golden, name: golden.name, line: golden.line)
        try run.forEachRow(matching: [golden.when]) { (row) throws(StoreError) in
            guard entries.count < GoldenCheck.entryCountMax,
                byteCount < GoldenCheck.byteCountMax
            else {
                isTooLong = true
                return false
            }
            guard
                let exchange = try run.reader.exchange(
                    row.id, bodyByteCountMax: AssertionRun.bodyByteCountMax),
                let entry = GoldenEntry(CapturedExchange(row: row, exchange: exchange), golden)
            else { return true }
            byteCount += entry.bodyByteCount
            entries.append(entry)
            rows.append(row)
            result.slowestNs = max(result.slowestNs, row.durationNs ?? 0)
            return true
        }
        result.matchedCount = entries.count
        if isTooLong {
            result.problems.append(
                AssertionProblem("more exchanges match than a golden file can have"))
        } else if entries.isEmpty {
            result.problems.append(AssertionProblem("no exchange matches", part: golden.when.text))
        }
    }

    /// What the golden file should contain; nil if there is nothing to write.
    package var contents: [UInt8]? {
        result.holds ? GoldenText.bytes(of: entries, golden.match) : nil
    }

    /// The result of writing the contents.
    package func written() -> AssertionResult {
        var result = result
        if result.holds { result.remark = "\(golden.file) was written" }
        return result
    }

    /// The result of comparing with a file; nil if it does not exist.
    package func compared(to bytes: [UInt8]?) throws(GoldenText.Mistake) -> AssertionResult {
        var result = result
        guard let bytes else {
            result.problems.append(
                AssertionProblem("\(golden.file) does not exist: make it with --update"))
            return result
        }
        let wanted = try GoldenText.entries(in: bytes, golden)
        guard result.holds else { return result }
        let differences = GoldenComparison(entries, to: wanted, golden.match).differences
        for difference in differences.prefix(GoldenCheck.differenceCountMax) {
            var problem = AssertionProblem(difference.message)
            if let index = difference.index { problem.add(rows[index]) }
            problem.details = difference.lines
            result.problems.append(problem)
        }
        if differences.count > GoldenCheck.differenceCountMax {
            let rest = differences.count - GoldenCheck.differenceCountMax
            result.problems.append(AssertionProblem("\(rest) more differences"))
        }
        return result
    }
}

/// Compares entries with those of a golden file.
package struct GoldenComparison {
    /// A difference, with the index of the entry that has it; nil if the entry is missing.
    package struct Difference {
        package let index: Int?
        /// One line for people.
        package let message: String
        /// The compared lines, with their signs.
        package let lines: [String]
    }

    package private(set) var differences: [Difference] = []
    private let found: [GoldenEntry]
    private let wanted: [GoldenEntry]

    package init(
        _ found: [GoldenEntry], to wanted: [GoldenEntry], _ match: GoldenExpectation.Match
    ) {
        self.found = found
        self.wanted = wanted
        switch match {
        case .order: compareInOrder()
        case .key: compareByKey()
        }
    }

    private mutating func compareInOrder() {
        var numbers: [String: Int] = [:]
        func number(_ entry: GoldenEntry) -> Int {
            let next = numbers.count
            return numbers[entry.title]
                ?? {
                    numbers[entry.title] = next; return next
                }()
        }
        let (old, new) = (wanted.map(number), found.map(number))
        for piece in LineDiff.pieces(old, new) ?? [] {
            switch piece {
            case .same(let old, let new, let count):
                for offset in 0..<count { compare(new + offset, to: wanted[old + offset]) }
            case .removed(let range): for index in range { miss(wanted[index]) }
            case .added(let range): for index in range { add(index) }
            }
        }
    }

    private mutating func compareByKey() {
        var waiting: [MockKey: [Int]] = [:]
        for (index, entry) in found.enumerated() { waiting[entry.key, default: []].append(index) }
        for entry in wanted {
            let key = entry.key
            guard let index = waiting[key]?.first else {
                miss(entry)
                continue
            }
            waiting[key]?.removeFirst()
            compare(index, to: entry)
        }
        for index in waiting.values.flatMap({ $0 }).sorted() { add(index) }
    }

    private mutating func compare(_ index: Int, to entry: GoldenEntry) {
        guard !found[index].equals(entry) else { return }
        let lines = try? DiffSection.compare(entry.lines, found[index].lines) { false }
        let section = DiffSection("", lines ?? [])
        differences.append(
            Difference(
                index: index, message: "\(found[index].title) differs",
                lines: section.shortened.map { "\($0.sign) \($0.text.text)" }))
    }

    private mutating func miss(_ entry: GoldenEntry) {
        differences.append(Difference(index: nil, message: "\(entry.title) is missing", lines: []))
    }

    private mutating func add(_ index: Int) {
        differences.append(
            Difference(
                index: index, message: "\(found[index].title) is not in the file", lines: []))
    }
}

/// The text of a golden file: JSON lines as exports write them, without what differs between runs.
package enum GoldenText {
    package static let byteCountMax = 64 << 20

    package struct Mistake: Error {
        package let message: String
    }

    // MARK: Writing

    /// The text of entries: in their order, or sorted if the order does not matter.
    package static func bytes(
        of entries: [GoldenEntry], _ match: GoldenExpectation.Match
    ) -> [UInt8] {
        var lines = entries.map { line($0) }
        if match == .key { lines.sort { $0.lexicographicallyPrecedes($1) } }
        var bytes: [UInt8] = []
        for line in lines { bytes += line + [0x0A] }
        return bytes
    }

    private static func line(_ entry: GoldenEntry) -> [UInt8] {
        var request: [(String, JSONValue)] = []
        var headers: [JSONValue] = [.strings(["host", entry.url.authority])]
        if let type = entry.requestType { headers.append(.strings(["content-type", type])) }
        request.append(("headers", .array(headers)))
        if let body = entry.requestBody { request += members(body) }
        let response: JSONValue =
            entry.status == nil
            ? .null
            : .members(
                [("headers", .array(entry.fields.map { .strings([$0.name, $0.value]) }))]
                    + members(entry.body))
        var line: [UInt8] = []
        JSONText.write(
            .members([
                ("method", .string(entry.method.rawValue)), ("url", .string("\(entry.url)")),
                ("status", .integer(entry.status)), ("request", .members(request)),
                ("response", response), ("started_at", .string(startedAt)),
            ]), into: &line)
        return line
    }

    /// An export has the time of each exchange.
    private static let startedAt = "1970-01-01T00:00:00.000Z"

    private static func members(_ body: GoldenBody) -> [(String, JSONValue)] {
        switch body {
        case .none: return []
        case .json, .form, .text:
            if let text = String(validating: body.bytes, as: UTF8.self) {
                return [("body_text", .string(text))]
            }
        case .bytes: break
        }
        return [("body_base64", .string(Base64.text(body.bytes)))]
    }

    // MARK: Reading

    /// - Throws: the first mistake.
    package static func entries(
        in bytes: [UInt8], _ golden: GoldenExpectation
    ) throws(Mistake) -> [GoldenEntry] {
        var entries: [GoldenEntry] = []
        var problem: Mistake?
        if bytes.allSatisfy({ $0 <= 0x20 }) { return [] }
        var reader = InterchangeReader()
        let take: (InterchangeReader.Entry) -> Void = { entry in
            switch entry {
            case .success(.exchange(let imported)):
                if imported.exchange.request.url == nil {
                    problem = problem ?? Mistake(message: "an exchange has no URL")
                }
                if let entry = GoldenEntry(captured(imported), golden) { entries.append(entry) }
            case .success(.messages), .success(.leftOut): break
            case .failure(let error): problem = problem ?? Mistake(message: "\(error)")
            }
        }
        do {
            try reader.receive(bytes, take)
            try reader.finish(take)
        } catch {
            throw Mistake(message: "\(error)")
        }
        if let problem { throw problem }
        return entries
    }

    private static func captured(_ imported: ImportedExchange) -> CapturedExchange {
        let exchange = imported.exchange
        let url = exchange.request.url
        var row = ExchangeRow(id: exchange.id, startedAtNs: 0, state: exchange.state)
        row.path = url?.pathText
        row.query = url?.queryText
        return CapturedExchange(row: row, exchange: exchange, malformedHead: imported.malformedHead)
    }
}
