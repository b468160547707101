internal import ProxydParameterCoding

/// Parses binary property lists, reading each object once however often it is referenced.
///
/// Every offset is checked before use, and sums of counts saturate. The expanded values of an
/// object are counted without expanding them, so that a short list of nested lists cannot become an
/// exponentially large tree.
struct BinaryPropertyListReader {
    /// An object that has been read.
    private struct Built {
        let value: Parameter
        /// The number of expanded values, including itself.
        let valueCount: Int
        let byteCount: Int
        let height: Int

        /// An object without children. A UID expands to a name and a number.
        static func scalar(_ value: Parameter, byteCount: Int) -> Built {
            let isUID = if case .object = value { true } else { false }
            return Built(
                value: value, valueCount: isUID ? 3 : 1, byteCount: byteCount,
                height: isUID ? 1 : 0)
        }
    }

    private enum State {
        case unread
        case isOpen
        case built(Built)
    }

    /// A container whose children are being read.
    private struct Frame {
        let object: Int
        let body: BinaryObject.Container
        var next = 0
    }

    private let bytes: [UInt8]
    private let limits: PropertyListLimits
    private var layout = BinaryLayout()
    private var states: [State] = []
    private var frames: [Frame] = []
    /// The references and bytes read so far. Objects may share their bytes, so the list's length
    /// does not bound them; every object that is read is part of the root's expansion.
    private var referenceCount = 0
    private var copiedByteCount = 0

    init(_ bytes: [UInt8], limits: PropertyListLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    mutating func read() throws(PropertyListError) -> Parameter {
        layout = try BinaryLayout(bytes)
        guard layout.objectCount <= limits.valueCountMax else {
            throw PropertyListError(.tooLarge, at: layout.tableOffset)
        }
        states = Array(repeating: .unread, count: layout.objectCount)
        if let root = try visit(layout.topObject) { return root.value }
        while let top = frames.indices.last {
            let frame = frames[top]
            if frame.next < frame.body.childCount {
                frames[top].next += 1
                let child = try layout.reference(frame.body.firstReference, frame.next, bytes)
                _ = try visit(child)
            } else {
                frames.removeLast()
                let built = try assemble(frame)
                states[frame.object] = .built(built)
                if frames.isEmpty { return built.value }
            }
        }
        throw PropertyListError(.truncated, at: bytes.count)
    }

    /// The object, if it is already available; a container not yet read is opened instead.
    private mutating func visit(_ object: Int) throws(PropertyListError) -> Built? {
        guard states.indices.contains(object) else {
            throw PropertyListError(.truncated, at: bytes.count)
        }
        let offset = try layout.offset(of: object, bytes)
        switch states[object] {
        case .built(let built): return built
        case .isOpen: throw PropertyListError(.cycle, at: offset)
        case .unread: break
        }
        switch try BinaryObject.read(bytes, at: offset, layout) {
        case .scalar(let value, let byteCount):
            copiedByteCount += byteCount
            guard copiedByteCount <= limits.byteCountMax else {
                throw PropertyListError(.tooLarge, at: offset)
            }
            let built = Built.scalar(value, byteCount: byteCount)
            guard built.valueCount <= limits.valueCountMax else {
                throw PropertyListError(.tooLarge, at: offset)
            }
            guard frames.count + built.height <= limits.depthMax else {
                throw PropertyListError(.tooDeep, at: offset)
            }
            states[object] = .built(built)
            return built
        case .container(let body):
            guard frames.count < limits.depthMax else {
                throw PropertyListError(.tooDeep, at: offset)
            }
            referenceCount += body.childCount
            guard referenceCount <= limits.valueCountMax else {
                throw PropertyListError(.tooLarge, at: offset)
            }
            states[object] = .isOpen
            frames.append(Frame(object: object, body: body))
            return nil
        }
    }

    private func child(_ frame: Frame, _ index: Int) throws(PropertyListError) -> Built {
        let object = try layout.reference(frame.body.firstReference, index, bytes)
        guard case .built(let built) = states[object] else {
            throw PropertyListError(.truncated, at: frame.body.firstReference)
        }
        return built
    }

    private func assemble(_ frame: Frame) throws(PropertyListError) -> Built {
        let offset = try layout.offset(of: frame.object, bytes)
        var children: [Parameter] = []
        var valueCount = 1
        var byteCount = 0
        var height = 0
        children.reserveCapacity(frame.body.childCount)
        for index in 0..<frame.body.childCount {
            let child = try child(frame, index)
            children.append(child.value)
            // Each child is within the limits, so their sum cannot overflow before it is checked.
            valueCount += child.valueCount
            byteCount += child.byteCount
            height = max(height, child.height)
            guard valueCount <= limits.valueCountMax, byteCount <= limits.byteCountMax else {
                throw PropertyListError(.tooLarge, at: offset)
            }
        }
        guard height < limits.depthMax else { throw PropertyListError(.tooDeep, at: offset) }
        let value = try value(frame.body.kind, children, offset)
        return Built(
            value: value, valueCount: valueCount, byteCount: byteCount, height: height + 1)
    }

    private func value(
        _ kind: BinaryObject.Container.Kind,
        _ children: [Parameter],
        _ offset: Int
    ) throws(PropertyListError) -> Parameter {
        switch kind {
        case .array: return .array(children)
        case .set: return .set(children)
        case .dictionary: break
        }
        // All names precede all values.
        let count = children.count / 2
        var members: [Parameter.Member] = []
        members.reserveCapacity(count)
        for index in 0..<count {
            guard case .string(let name) = children[index] else {
                throw PropertyListError(.badName, at: offset)
            }
            members.append(Parameter.Member(name, children[count + index]))
        }
        return .object(members)
    }
}
