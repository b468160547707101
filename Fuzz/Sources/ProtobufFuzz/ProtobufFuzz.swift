internal import FuzzSupport
internal import ProxydParameterCoding
internal import ProxydProtobuf

/// Messages of protocol buffers, with a description and without: any bytes are read to JSON that
/// can be written, within the limits.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let settings = input.choice()
    let bytes = Array(input.rest)
    let limits =
        settings & 0x80 == 0
        ? ProtobufLimits() : ProtobufLimits(depthMax: 4, valueCountMax: 64, stepCountMax: 512)
    let fields = FieldReadings.json(of: bytes, limits: limits)
    checkFields(fields, bytes, limits)
    let types = SelfDescription.types
    let type = types[Int(settings & 0x7F) % types.count]
    let decoder = MessageDecoder(SelfDescription.registry, limits: limits)
    do throws(ProtobufError) {
        let decoded = try decoder.message(bytes, type: type)
        require(decoded != nil || type != types.first, "a described type is not known")
        if let decoded { checkWritable(decoded.json) }
        if let problem = decoded?.problem {
            require((0...bytes.count).contains(problem.offset), "a problem outside the message")
        }
    } catch {
        require(error.kind == .tooMuch, "an error that is no limit: \(error)")
    }
    return 0
}

private func checkWritable(_ value: JSONValue) {
    let written = try? JSONWriter(depthMax: 1_024).write(value)
    require(written != nil, "what was read cannot be written")
}

/// Every byte of the message is in a field or in the rest behind a problem.
private func checkFields(_ value: JSONValue, _ bytes: [UInt8], _ limits: ProtobufLimits) {
    checkWritable(value)
    guard case .array(let fields) = value else { return require(false, "no array of fields") }
    require(fields.count <= limits.valueCountMax + 1, "more fields than the limit")
    require(fields.isEmpty == bytes.isEmpty, "fields of nothing, or none of something")
}
