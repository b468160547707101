internal import FuzzSupport
internal import ProxydParameterCoding
internal import ProxydProtobuf

/// Descriptions of files, as somebody gives them or a server's reflection answers with them; the
/// rest of the input is read as a message of each type that they describe.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let settings = input.choice()
    let length = Int(input.choice()) << 8 | Int(input.choice())
    let bytes = Array(input.rest.prefix(length))
    let message = Array(input.rest.dropFirst(length))
    let found: [[UInt8]]?
    switch settings & 3 {
    case 0: found = try? FileDescriptorSet.files(of: bytes)
    case 1: found = try? ReflectionAnswer.files(in: bytes)
    default: found = [bytes]
    }
    let files = (found ?? []).compactMap { try? FileDescriptor(bytes: $0) }
    for file in files { check(file) }
    let limits = ProtobufLimits(depthMax: 16, valueCountMax: 256, stepCountMax: 4_096)
    let registry = DescriptorRegistry(files)
    let decoder = MessageDecoder(registry, limits: limits)
    for described in files.flatMap(\.messages).prefix(8) {
        guard let decoded = try? decoder.message(message, type: described.fullName) else {
            continue
        }
        let written = try? JSONWriter(depthMax: 1_024).write(decoded.json)
        require(written != nil, "what was read cannot be written")
    }
    for service in files.flatMap(\.services).prefix(8) {
        for method in service.methods.prefix(8) {
            _ = registry.method(atPath: "/\(service.fullName)/\(method.name)")
        }
    }
    return 0
}

private func check(_ file: FileDescriptor) {
    require(!file.name.isEmpty, "a file without a name")
    for message in file.messages {
        require(!message.fullName.isEmpty, "a message without a name")
        for (number, field) in message.fields {
            require((1..<1 << 29).contains(number), "a field number out of range")
            require(field.number == number && !field.name.isEmpty, "a field without a name")
        }
    }
}
