internal import FuzzSupport
internal import ProxydParameterCoding

/// Parameters of whole requests, in any charset: within the limits, whatever the bytes. The
/// input's first line is the content type, the second the query, the rest the body.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let settings = input.choice()
    let contentType = String(decoding: input.line(), as: UTF8.self)
    let query = input.line()
    let body = Array(input.rest)
    let limits =
        settings & 0x01 == 0
        ? ExtractionLimits()
        : ExtractionLimits(parameterCountMax: 3, textByteCountMax: 40, valueByteCountMax: 9)
    let parameters = ParameterExtractor.extract(
        query: query.span, contentType: contentType, body: body.span, limits: limits)
    check(parameters, limits)
    check(GraphQLRequest.operations(in: parameters))
    checkDocument(body)
    let mediaType = MediaType(contentType)
    _ = (BodyKind.detect(contentType: mediaType, bytes: body.span), mediaType?.suffix)
    return 0
}

private func check(_ parameters: [ExtractedParameter], _ limits: ExtractionLimits) {
    require(parameters.count <= limits.parameterCountMax, "too many parameters")
    var textByteCount = 0
    for parameter in parameters {
        let valueByteCount = parameter.value?.utf8.count ?? 0
        require(valueByteCount <= limits.valueByteCountMax, "too long a value")
        textByteCount += parameter.name.utf8.count + valueByteCount
    }
    require(textByteCount <= limits.textByteCountMax, "too much text")
}

/// Names are names, whatever a request says.
private func check(_ operations: [GraphQLOperation]) {
    for name in operations.compactMap(\.name) {
        require((1...GraphQLOperation.nameByteCountMax).contains(name.utf8.count), "no such name")
        require(
            name.utf8.allSatisfy {
                $0 == 0x5F || ($0 < 0x80 && Character(UnicodeScalar($0)).isLetter)
                    || (0x30...0x39).contains($0)
            }, "a name with other characters")
    }
}

/// A document keeps all that means something when it is laid out, and what it asks for.
private func checkDocument(_ bytes: [UInt8]) {
    let operations = GraphQLDocument(bytes).operations
    check(operations)
    let text = String(decoding: bytes, as: UTF8.self)
    guard bytes.elementsEqual(text.utf8) else { return }
    let laidOut = GraphQLPrinter.text(of: text)
    require(
        GraphQLDocument(laidOut.utf8).operations == operations, "another document is laid out")
}
