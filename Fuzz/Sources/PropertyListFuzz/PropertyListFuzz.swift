internal import FuzzSupport
internal import ProxydParameterCoding
internal import ProxydPropertyLists

/// Property lists of both forms: what is read can be written and read again, within the limits; a
/// mistake is said to be inside the list.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let settings = input.choice()
    let bytes = Array(input.rest)
    let limits =
        settings & 0x01 == 0
        ? PropertyListLimits() : PropertyListLimits(depthMax: 3, valueCountMax: 16)
    _ = PropertyListReader.format(bytes)
    do throws(PropertyListError) {
        let value = try PropertyListReader(limits: limits).read(bytes)
        require(PropertyListShape(value).isWithin(limits), "more than the limits allow")
        checkBinary(value)
        checkXML(value)
    } catch {
        require((0...bytes.count).contains(error.offset), "a mistake outside of the list")
        require(!error.description.isEmpty, "a mistake without words")
    }
    return 0
}

private func checkBinary(_ value: Parameter) {
    guard let written = try? PropertyListWriter(format: .binary).write(value) else { return }
    let again = try? PropertyListReader().read(written)
    require(again == unordered(value), "written as binary and read again, it is another value")
}

/// With the arrays that sets are written as.
private func unordered(_ value: Parameter) -> Parameter {
    switch value {
    case .array(let elements), .set(let elements): .array(elements.map(unordered))
    case .object(let members):
        .object(members.map { Parameter.Member($0.name, unordered($0.value)) })
    default: value
    }
}

/// XML has whole seconds only: what was read from it once stays.
private func checkXML(_ value: Parameter) {
    guard let written = try? PropertyListWriter(format: .xml).write(value) else { return }
    guard let again = try? PropertyListReader().read(written) else {
        return require(false, "what was written as XML cannot be read")
    }
    let twice = try? PropertyListWriter(format: .xml).write(again)
    require(twice == written, "written as XML twice, it is another text")
    let shapes = (PropertyListShape(value), PropertyListShape(again))
    require(shapes.0 == shapes.1, "written as XML and read again, it has another shape")
}
