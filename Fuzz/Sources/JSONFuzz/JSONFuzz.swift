internal import FuzzSupport
internal import ProxydParameterCoding

/// JSON texts: what is read can be written and read again; a mistake is said to be inside the
/// text; parameters are the tree's leaves.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(FuzzInput(start, count).rest)
    do throws(JSONSyntaxError) {
        let value = try JSONReader().read(bytes)
        checkAgain(value)
        checkParameters(value, bytes)
    } catch {
        require((0...bytes.count).contains(error.offset), "a mistake outside of the text")
        require(error.line >= 1 && error.column >= 1, "a mistake before the text")
        _ = parameters(bytes)
    }
    return 0
}

private func checkAgain(_ value: JSONValue) {
    var text: [UInt8] = []
    JSONText.write(value, into: &text)
    let again = try? JSONReader().read(text)
    require(again == value, "written and read again, it is another value")
    require((try? JSONWriter().write(value)) != nil, "what was read cannot be written")
    let pretty = try? JSONWriter(indentationByteCount: 2, escapesSlashes: true).write(value)
    require(pretty.flatMap { try? JSONReader().read($0) } == value, "pretty, it is another value")
}

private func checkParameters(_ value: JSONValue, _ bytes: [UInt8]) {
    let leaves = value.leaves(countMax: .max, textByteCountMax: .max)
    let found = parameters(bytes).map { JSONLeaf(path: $0.name, value: $0.value) }
    require(found == leaves, "the parameters are not the leaves")
}

private func parameters(_ bytes: [UInt8]) -> [ExtractedParameter] {
    let limits = ExtractionLimits(
        parameterCountMax: 1 << 40, textByteCountMax: 1 << 40, valueByteCountMax: 1 << 40)
    return ParameterExtractor.extract(
        query: [UInt8]().span, contentType: "application/json", body: bytes.span, limits: limits)
}
