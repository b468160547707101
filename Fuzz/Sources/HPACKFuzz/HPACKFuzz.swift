internal import FuzzSupport
internal import ProxydHTTPModel

@testable internal import ProxydHTTPWire

/// HPACK: blocks are read within their limits, and what we write is read as what it was.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let settings = input.choice()
    if settings & 0x80 == 0 {
        readBlocks(&input, settings: settings)
    } else {
        writeHeads(&input)
    }
    return 0
}

/// Blocks whose lengths the input gives, with sizes of the table between them. What was read is
/// written again, and read once more.
private func readBlocks(_ input: inout FuzzInput, settings: UInt8) {
    let tableByteCountMax = [0, 64, 4_096, 65_536][Int(settings & 3)]
    let limits = FieldBlock.Limits(
        listByteCountMax: [100, 1_000, 262_144, 262_144][Int(settings >> 2 & 3)],
        lineCountMax: [1, 10, 1_000, 1_000][Int(settings >> 4 & 3)])
    var decoder = HPACKDecoder(tableByteCountMax: tableByteCountMax)
    var encoder = HPACKEncoder()
    var again = HPACKDecoder(tableByteCountMax: HPACKEncoder.tableByteCountMax)
    var most = tableByteCountMax
    while !input.rest.isEmpty {
        let choice = Int(input.choice())
        if choice >= 0xF0 {
            most = (choice & 0x0F) * 300
            decoder.setTableByteCountMax(most)
            encoder.setPeerTableByteCountMax(most)
            again.setTableByteCountMax(most)
            continue
        }
        // The last one is as long as it is.
        let byteCount = choice == 0 ? input.rest.count : choice
        let block = (0..<min(byteCount, input.rest.count)).map { _ in input.choice() }
        var fields = FieldBlock(limits: limits)
        let isRead = (try? decoder.decode(block.span, into: &fields)) != nil
        check(fields, limits: limits, isRead: isRead)
        require(decoder.tableByteCount <= most, "the table is too large")
        require(
            decoder.allocatedByteCount <= 9 * most / 4 + 512, "the table has too much memory")
        let lines = fields.lines.map { line in
            FieldLine(
                name: Array(fields.bytes[line.nameRange]),
                value: Array(fields.bytes[line.valueRange]), coding: line.coding)
        }
        write(lines, with: &encoder, for: &again)
    }
}

/// Lines that end in line feeds, each with its coding and the length of its name before it; an
/// empty one ends a head.
private func writeHeads(_ input: inout FuzzInput) {
    var encoder = HPACKEncoder()
    var decoder = HPACKDecoder(tableByteCountMax: HPACKEncoder.tableByteCountMax)
    var lines: [FieldLine] = []
    while !input.rest.isEmpty {
        let choice = input.choice()
        let nameByteCount = Int(input.choice())
        let bytes = input.line()
        if let coding = FieldCoding(rawValue: choice & 0x1F), !bytes.isEmpty {
            let name = Array(bytes.prefix(nameByteCount))
            let value = Array(bytes.dropFirst(nameByteCount))
            lines.append(FieldLine(name: name, value: value, coding: coding))
        } else {
            write(lines, with: &encoder, for: &decoder)
            lines = []
            if choice >= 0xC0 {
                encoder.setPeerTableByteCountMax(nameByteCount * 20)
                decoder.setTableByteCountMax(nameByteCount * 20)
            }
        }
    }
    write(lines, with: &encoder, for: &decoder)
}

private struct FieldLine: Equatable {
    let name: [UInt8]
    let value: [UInt8]
    let coding: FieldCoding
}

private func write(
    _ lines: [FieldLine], with encoder: inout HPACKEncoder, for decoder: inout HPACKDecoder
) {
    var block: [UInt8] = []
    encoder.beginBlock(into: &block)
    for line in lines {
        encoder.encode(
            name: line.name.span, value: line.value.span, coding: line.coding, into: &block)
    }
    var fields = FieldBlock(limits: .init(listByteCountMax: .max, lineCountMax: .max))
    do throws(HPACKError) {
        try decoder.decode(block.span, into: &fields)
    } catch {
        require(false, "our block is refused: \(error)")
    }
    require(fields.lines.count == lines.count, "lines are lost or made up")
    for (line, read) in zip(lines, fields.lines) {
        require(
            fields.bytes[read.nameRange] == line.name[...]
                && fields.bytes[read.valueRange] == line.value[...], "a line is another")
        let representation = line.coding.representation
        if representation == .neverIndexed || representation == .notAdded {
            require(
                read.coding.representation == representation,
                "a line is in a table against its will")
        }
    }
    require(
        encoder.tableByteCount == decoder.tableByteCount, "the two tables differ")
}

private func check(_ fields: FieldBlock, limits: FieldBlock.Limits, isRead: Bool) {
    require(fields.lines.count <= limits.lineCountMax, "more lines than the limit")
    var listByteCount = 0
    var end: UInt32 = 0
    for line in fields.lines {
        require(
            line.start == end && line.valueStart == line.nameEnd + 2
                && line.end == line.valueEnd + 2
                && line.nameEnd >= line.start && line.valueEnd >= line.valueStart,
            "a line is not where it is said to be")
        require(
            FieldName(fields.bytes.span.extracting(line.nameRange)) == line.name,
            "a name is taken for another")
        listByteCount += line.nameRange.count + line.valueRange.count + 32
        end = line.end
    }
    require(fields.bytes.count == Int(end), "bytes are left behind the lines")
    require(listByteCount <= limits.listByteCountMax, "the list is larger than its limit")
    require(
        (fields.excess == .none) == (listByteCount == fields.listByteCount),
        "lines are left out and not counted")
}
