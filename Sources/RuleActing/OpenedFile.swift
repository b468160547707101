internal import ProxydHTTPModel
internal import ProxydRules

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
            name: opened.name, byteCount: opened.byteCount,
            modifiedSeconds: opened.modifiedSeconds)
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
