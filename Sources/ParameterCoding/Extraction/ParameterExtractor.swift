/// Extracts the parameters of a request from its query and body, for the recorder.
public enum ParameterExtractor {
    /// The parameters in order: those of the query, then those of the body.
    ///
    /// Never fails: unreadable input has no parameters, and parameters before an error or a limit
    /// are kept. Empty pairs (`a&&b`) are left out. A body that was truncated when it was recorded
    /// yields the parameters that are complete in it.
    /// - Parameters:
    ///   - query: The bytes after the `?`; empty if there is none.
    ///   - contentType: The value of Content-Type, if there is one.
    ///   - body: The body's bytes, with content codings removed.
    ///   - limits: Bounds on the result.
    public static func extract(
        query: Span<UInt8>,
        contentType: String?,
        body: Span<UInt8>,
        limits: ExtractionLimits = ExtractionLimits()
    ) -> [ExtractedParameter] {
        extraction(query: query, contentType: contentType, body: body, limits: limits).parameters
    }

    /// The parameters as returned by `extract`, and whether a limit was reached.
    public static func extraction(
        query: Span<UInt8>,
        contentType: String?,
        body: Span<UInt8>,
        limits: ExtractionLimits = ExtractionLimits()
    ) -> ParameterExtraction {
        var collector = ParameterCollector(limits: limits)
        if !query.isEmpty { addPairs(query, .query, ByteText(), to: &collector) }
        if !body.isEmpty {
            addBody(body, contentType.flatMap { MediaType($0) }, to: &collector)
        }
        return ParameterExtraction(parameters: collector.parameters, isCut: collector.isCut)
    }

    private static func addBody(
        _ body: Span<UInt8>,
        _ mediaType: MediaType?,
        to collector: inout ParameterCollector
    ) {
        switch BodyKind.detect(contentType: mediaType, bytes: body) {
        case .json:
            addJSON(body, mediaType, to: &collector)
        case .form:
            addForm(body, mediaType, to: &collector)
        case .multipartForm(let boundary):
            let text = ByteText(
                ofParts: body, boundary: boundary, declaredCharset: mediaType?.charset)
            addParts(body, boundary, text, to: &collector)
        default:
            break
        }
    }

    private static func addForm(
        _ body: Span<UInt8>, _ mediaType: MediaType?, to collector: inout ParameterCollector
    ) {
        let text = ByteText(ofForm: body, declaredCharset: mediaType?.charset)
        addPairs(body, .form, text, to: &collector)
    }

    private static func addPairs(
        _ bytes: Span<UInt8>,
        _ source: ExtractedParameter.Source,
        _ text: ByteText,
        to collector: inout ParameterCollector
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
        _ body: Span<UInt8>,
        _ mediaType: MediaType?,
        to collector: inout ParameterCollector
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
        _ body: Span<UInt8>,
        _ boundary: [UInt8],
        _ text: ByteText,
        to collector: inout ParameterCollector
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
        _ bytes: Span<UInt8>,
        _ decoder: inout MultipartDecoder,
        _ events: inout [MultipartEvent]
    ) -> MultipartError? {
        do throws(MultipartError) {
            try decoder.receive(bytes, into: &events)
            return nil
        } catch {
            return error
        }
    }
}
