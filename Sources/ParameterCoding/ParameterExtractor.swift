/// Extracts the parameters of a request from its query and body, for the recorder.
public enum ParameterExtractor {
    /// The parameters in order: those of the query, then those of the body.
    ///
    /// Never fails: unreadable input has no parameters, and parameters before an error or a limit
    /// are kept. Empty pairs (`a&&b`) are left out. A body that was truncated when it was recorded
    /// yields the parameters that are complete in it.
    /// - Parameters:
    ///   - query: The bytes after the `?`; empty if there is none.
    ///   - body: The body's bytes, with content codings removed.
    public static func extract(
        query: Span<UInt8>, contentType: String?,
        body: Span<UInt8>, limits: ExtractionLimits = ExtractionLimits()
    ) -> [ExtractedParameter] {
        extraction(query: query, contentType: contentType, body: body, limits: limits).parameters
    }

    /// The parameters as returned by `extract`, and whether a limit was reached.
    public static func extraction(
        query: Span<UInt8>, contentType: String?,
        body: Span<UInt8>, limits: ExtractionLimits = ExtractionLimits()
    ) -> ParameterExtraction {
        var collector = ParameterCollector(limits: limits)
        if !query.isEmpty { addPairs(query, .query, ByteText(), to: &collector) }
        if !body.isEmpty { addBody(body, contentType.flatMap { MediaType($0) }, to: &collector) }
        return ParameterExtraction(parameters: collector.parameters, isCut: collector.isCut)
    }

    private static func addBody(
        _ body: Span<UInt8>, _ mediaType: MediaType?, to collector: inout ParameterCollector
    ) {
        switch BodyKind.detect(contentType: mediaType, bytes: body) {
        case .json: addJSON(body, mediaType, to: &collector)
        case .form: addForm(body, mediaType, to: &collector)
        case .multipartForm(let boundary):
            let text = ByteText(
                ofParts: body, boundary: boundary, declaredCharset: mediaType?.charset)
            addParts(body, boundary, text, to: &collector)
        default: break
        }
    }

    private static func addForm(
        _ body: Span<UInt8>, _ mediaType: MediaType?, to collector: inout ParameterCollector
    ) {
        let text = ByteText(ofForm: body, declaredCharset: mediaType?.charset)
        addPairs(body, .form, text, to: &collector)
    }

    private static func addPairs(
        _ bytes: Span<UInt8>, _ source: ExtractedParameter.Source,
        _ text: ByteText, to collector: inout ParameterCollector
    ) {
        var scanner = PairScanner()
        var percent = PercentDecoder(text: text, plusIsSpace: true)
        while !collector.isFull, let pair = scanner.next(in: bytes) {
            if pair.isEmpty { continue }
            let name = percent.decodedText(bytes, pair.name)
            let value = pair.value.map { percent.decodedText(bytes, $0) }
            collector.add(source, name, value)
        }
    }

    /// A body that is declared as a form but looks like JSON (curl's `-d '{…}'`) is parsed as a
    /// form again if it turns out not to be JSON.
    private static func addJSON(
        _ body: Span<UInt8>, _ mediaType: MediaType?, to collector: inout ParameterCollector
    ) {
        let (leaves, problem) = JSONBodyValues.withUTF8(body, mediaType?.charset) { text in
            JSONParser.parsePrefix(
                of: text, limits: JSONLimits(), into: JSONLeafCollector(collector))
        }
        if let problem, problem != .unexpectedEnd,
            mediaType.flatMap({ BodyKind(declared: $0) }) == .form
        {
            addForm(body, mediaType, to: &collector)
        } else {
            collector = leaves.sink
            if problem == .tooDeep || problem == .tooLarge { collector.markCut() }
        }
    }

    private static func addParts(
        _ body: Span<UInt8>, _ boundary: [UInt8],
        _ text: ByteText, to collector: inout ParameterCollector
    ) {
        guard var decoder = try? MultipartDecoder(boundary: boundary, text: text) else { return }
        var parts = MultipartParameters(collector, text: text)
        var events: [MultipartEvent] = []
        var offset = 0
        var isCut = false
        while offset < body.count, !parts.collector.isFull {
            // In pieces, to bound the memory for a large file part.
            let end = min(offset &+ 65_536, body.count)
            let problem = receive(body.extracting(offset..<end), &decoder, &events)
            parts.add(events)
            events.removeAll(keepingCapacity: true)
            if let problem {
                isCut = problem.kind == .partHeadTooLarge || problem.kind == .tooManyParts
                break
            }
            offset = end
        }
        decoder.finish(into: &events)
        parts.add(events)
        collector = parts.collector
        if isCut { collector.markCut() }
    }

    private static func receive(
        _ bytes: Span<UInt8>, _ decoder: inout MultipartDecoder, _ events: inout [MultipartEvent]
    ) -> MultipartError? {
        do throws(MultipartError) {
            try decoder.receive(bytes, into: &events)
            return nil
        } catch {
            return error
        }
    }
}

public struct ParameterExtraction: Sendable, Hashable {
    public let parameters: [ExtractedParameter]
    /// Whether a limit excluded parameters or truncated a value.
    public let isCut: Bool
}

/// One decoded parameter of a request, in the form that users search for.
public struct ExtractedParameter: Sendable, Hashable {
    public enum Source: String, Sendable, Hashable, CaseIterable {
        case query
        /// A body of application/x-www-form-urlencoded.
        case form
        /// A leaf of a JSON body; its name is a path such as `a.x[2].y`: see `JSONLeaf`.
        case json
        /// A part of a multipart/form-data body; the value of a file part is its file name.
        case multipart
    }

    public let source: Source
    /// The decoded name.
    public let name: String
    /// The decoded value; nil for a bare `flag` and for JSON's null.
    public let value: String?

    public init(source: Source, name: String, value: String?) {
        self.source = source
        self.name = name
        self.value = value
    }
}

/// Bounds on what is extracted from one request; anything beyond them is left out.
public struct ExtractionLimits: Sendable, Hashable {
    public var parameterCountMax: Int
    /// The maximum total size of all names and values, in bytes of UTF-8.
    public var textByteCountMax: Int
    /// The maximum size of one value in bytes of UTF-8; a longer one is truncated.
    public var valueByteCountMax: Int

    public init(
        parameterCountMax: Int = 1_000, textByteCountMax: Int = 1 << 20,
        valueByteCountMax: Int = 64 << 10
    ) {
        self.parameterCountMax = parameterCountMax
        self.textByteCountMax = textByteCountMax
        self.valueByteCountMax = valueByteCountMax
    }
}

struct ParameterCollector {
    private(set) var parameters: [ExtractedParameter] = []
    private(set) var isFull = false
    /// Whether something is missing from the parameters because of a limit.
    private(set) var isCut = false
    private let limits: ExtractionLimits
    private var textByteCount = 0

    init(limits: ExtractionLimits) { self.limits = limits }

    mutating func add(_ source: ExtractedParameter.Source, _ name: String, _ value: String?) {
        guard !isFull else { return }
        var value = value
        if let whole = value, whole.utf8.count > limits.valueByteCountMax {
            value = cut(whole)
            isCut = true
        }
        textByteCount &+= name.utf8.count &+ (value?.utf8.count ?? 0)
        guard parameters.count < limits.parameterCountMax,
            textByteCount <= limits.textByteCountMax
        else {
            isFull = true
            isCut = true
            return
        }
        parameters.append(ExtractedParameter(source: source, name: name, value: value))
    }

    /// Records that a decoder's limit excluded something.
    mutating func markCut() { isCut = true }

    var valueByteCountMax: Int { limits.valueByteCountMax }

    private func cut(_ value: String) -> String {
        let utf8 = value.utf8
        let end = utf8.index(utf8.startIndex, offsetBy: max(0, limits.valueByteCountMax))
        // The view rounds the end down to a whole character, so the truncated text stays valid.
        return String(value.unicodeScalars[..<end])
    }
}

/// All leaves become parameters.
extension ParameterCollector: JSONLeafSink {
    func wants(_ path: borrowing JSONPath) -> Bool { true }

    mutating func add(_ value: String?, at path: borrowing JSONPath) {
        add(.json, path.text, value)
    }
}

/// Converts the parts of a streamed multipart form into parameters.
struct MultipartParameters {
    private(set) var collector: ParameterCollector
    private let text: ByteText
    private var head: MultipartPartHead?
    private var content: [UInt8] = []

    init(_ collector: ParameterCollector, text: ByteText) {
        self.collector = collector
        self.text = text
    }

    mutating func add(_ events: [MultipartEvent]) {
        for event in events {
            switch event {
            case .part(let head):
                self.head = head
                content = []
            case .data(let bytes):
                // A file's content is not a parameter; a field's content is kept slightly beyond
                // its limit, because it may still have a transfer encoding.
                guard head?.filename == nil else { continue }
                if content.count <= 2 * collector.valueByteCountMax {
                    content += bytes
                } else {
                    collector.markCut()
                }
            case .partEnd: addPart()
            case .end: break
            }
        }
    }

    private mutating func addPart() {
        guard let head else { return }
        self.head = nil
        guard let name = head.name else { return }
        collector.add(.multipart, name, head.filename ?? fieldText(head))
    }

    private func fieldText(_ head: MultipartPartHead) -> String {
        let text = ByteText(of: head, in: text)
        return text.text(head.transferEncoding.decoded(content).span)
    }
}
