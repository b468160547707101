internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydProxyEngine
internal import ProxydRules
internal import Dispatch
internal import Glibc

/// Answers requests with files, read on separate threads: a slow disk must not block a loop.
final class FileServing: Sendable {
    /// An answer, and the memory that it takes.
    struct Served {
        /// Nil if there is no such file and the request is forwarded.
        let answer: RuleAnswer?
        var share: ByteShare?
    }

    private let queue = DispatchQueue(label: "proxyd.files", attributes: .concurrent)

    /// Answers a request from a mapping, on a loop.
    /// - Parameter budget: The memory for all such answers.
    func answer(
        _ request: ForwardedRequest, from mapping: FileMapping, in budget: ByteBudget,
        on loop: EventLoop, _ done: @escaping (Served) -> Void
    ) {
        let done = LoopBound(done, loop: loop)
        let (method, url) = (request.head.method, request.url)
        let fields = request.head.fields
        queue.async {
            let served = FileServing.answer(method, url, fields, from: mapping, in: budget)
            loop.execute { done.value(served) }
        }
    }

    private static func answer(
        _ method: HTTPMethod, _ url: RawURL, _ fields: HeaderFields, from mapping: FileMapping,
        in budget: ByteBudget
    ) -> Served {
        let opened = OpenedFile(url, in: mapping)
        if opened.find == .missing, mapping.missing == .forward { return Served(answer: nil) }
        var extra = HeaderFields()
        for field in mapping.fields { extra.append(name: field.name, value: field.value) }
        let response = FileResponse(opened.find, to: method, url, fields, extra: extra)
        let range: Range<Int64>
        switch response.content {
        case .bytes(let bytes) where !bytes.isEmpty: range = bytes
        case .none, .bytes:
            return Served(answer: RuleAnswer(status: response.status, fields: response.fields))
        case .head(let byteCount):
            // No content follows: the field alone gives the length.
            var fields = response.fields
            fields.append(name: "Content-Length", value: String(byteCount))
            return Served(answer: RuleAnswer(status: response.status, fields: fields))
        }
        guard range.count <= OpenedFile.byteCountMax else { return Served(answer: .unreadableFile) }
        guard let share = budget.share(range.count) else { return Served(answer: .noMemory) }
        guard let body = opened.read(range) else { return Served(answer: .unreadableFile) }
        return Served(
            answer: RuleAnswer(status: response.status, fields: response.fields, body: body),
            share: share)
    }
}

extension RuleAnswer {
    fileprivate static let unreadableFile = RuleAnswer(
        status: 500, saying: "the file of a rule cannot be read or is larger than 64 MiB")

    /// The answer while other clients have not taken theirs.
    static let noMemory = RuleAnswer(
        status: 503,
        saying: "the answers of rules take 256 MiB already, which their clients have not read")

    private init(status: Int, saying text: String) {
        self.init(
            status: status, fields: HeaderFields([("Content-Type", "text/plain")]),
            body: Array("proxyd: \(text)\n".utf8))
    }
}

/// The file that was found for a request.
struct OpenedFile {
    /// The maximum number of bytes of a file that are sent in one response.
    static let byteCountMax: Int64 = 64 << 20

    let find: ServedFind
    private let opened: OpenedPath?

    private init(_ find: ServedFind, _ opened: OpenedPath? = nil) {
        self.find = find
        self.opened = opened
    }

    /// Creates a result for a file, unless a link leads out of the folder.
    private init(_ opened: OpenedPath, within folder: OpenedPath) {
        guard opened.lies(within: folder) else {
            self.init(.refused)
            return
        }
        let file = ServedFile(
            name: opened.name, byteCount: opened.byteCount, modifiedSeconds: opened.modifiedSeconds)
        self.init(.file(file), opened)
    }

    /// Finds what a URL refers to in a mapping.
    init(_ url: RawURL, in mapping: FileMapping) {
        guard let root = OpenedPath(Array(mapping.path.utf8)) else {
            self.init(.missing)
            return
        }
        if root.isFolder {
            self.init(url, in: root, mapping)
        } else {
            self.init(root, within: root)
        }
    }

    private init(_ url: RawURL, in root: OpenedPath, _ mapping: FileMapping) {
        guard let path = ServedPath(url.path, stripping: mapping.stripped) else {
            self.init(.refused)
            return
        }
        var place = root.path
        for name in path.names { place += [UInt8(ascii: "/")] + name }
        guard let found = OpenedPath(place) else {
            self.init(.missing)
            return
        }
        guard found.lies(within: root) else {
            self.init(.refused)
            return
        }
        if !found.isFolder {
            // A file cannot be used like a folder.
            if path.isFolder { self.init(.missing) } else { self.init(found, within: root) }
        } else if !path.isFolder, !path.names.isEmpty {
            self.init(.folderWithoutSlash)
        } else if let index = OpenedPath(place + Array("/\(mapping.index)".utf8)), !index.isFolder {
            self.init(index, within: root)
        } else {
            self.init(.missing)
        }
    }

    /// Reads bytes of the file, at most `byteCountMax`; returns nil if that fails.
    func read(_ range: Range<Int64>) -> [UInt8]? { opened?.read(range) }
}

/// An open file or folder, and its real path: the kernel follows links once, and the path is
/// checked for what was actually opened.
final class OpenedPath {
    /// The real path, without links.
    let path: [UInt8]
    let isFolder: Bool
    let byteCount: Int64
    let modifiedSeconds: Int64
    private let descriptor: Int32

    /// Nil if there is nothing at the path, or something other than a file or folder.
    init?(_ path: [UInt8]) {
        guard !path.contains(0) else { return nil }
        let text = path.map { CChar(bitPattern: $0) } + [0]
        // Non-blocking, because it may be a pipe.
        let descriptor = open(text, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0,
            [S_IFDIR, S_IFREG].contains(status.st_mode & S_IFMT),
            let place = OpenedPath.place(of: descriptor)
        else {
            close(descriptor)
            return nil
        }
        self.path = place
        isFolder = status.st_mode & S_IFMT == S_IFDIR
        byteCount = Int64(status.st_size)
        modifiedSeconds = Int64(status.st_mtim.tv_sec)
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    private static func place(of descriptor: Int32) -> [UInt8]? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count)
        guard count > 0, count < buffer.count else { return nil }
        return buffer[..<count].map { UInt8(bitPattern: $0) }
    }

    /// The last component of the path.
    var name: String {
        String(decoding: path.split(separator: UInt8(ascii: "/")).last ?? [], as: UTF8.self)
    }

    /// Whether it is the given folder, or lies inside it.
    func lies(within folder: OpenedPath) -> Bool {
        let slash = [UInt8(ascii: "/")]
        return path == folder.path || folder.path == slash || path.starts(with: folder.path + slash)
    }

    /// Reads bytes of the file; returns nil if not all of them can be read.
    func read(_ range: Range<Int64>) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            while count < range.count {
                let room = UnsafeMutableRawBufferPointer(buffer).dropFirst(count)
                let place = off_t(range.lowerBound) + count
                let taken = pread(
                    descriptor, UnsafeMutableRawBufferPointer(rebasing: room).baseAddress,
                    room.count, place)
                if taken < 0, errno == EINTR { continue }
                guard taken > 0 else { break }
                count += taken
            }
        }
        return bytes.count == range.count ? bytes : nil
    }
}
