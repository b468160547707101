internal import Glibc
internal import ProxydCLinuxConfinement

/// The paths that may be read, except hidden places.
///
/// Landlock allows access to whole directories. If a directory contains a hidden place, its other
/// entries are allowed one by one instead; entries created later are not.
struct ReadablePaths {
    /// A place that is hidden: where a path leads.
    private struct Place {
        let path: String
        let isFolder: Bool

        init(_ path: String) {
            self.path = ReadablePaths.target(path)
            isFolder = ReadablePaths.isFolder(path)
        }
    }

    /// The maximum number of links that lead to one another (path_resolution(7)).
    private static let linkCountMax = 40

    /// The paths that are allowed.
    private(set) var paths: [String] = []
    /// Folders of which the names may be listed, and those in folders below: those around hidden
    /// files. The names around a hidden folder are hidden, too.
    private(set) var listed: [String] = []
    /// Folders with hidden files, whose other entries are allowed one by one.
    private(set) var partial: [String] = []
    private let hidden: [Place]

    /// Creates the list from existing paths, without the hidden places, which need not exist yet.
    init(_ wanted: [String], hiding hidden: [String]) {
        self.hidden = hidden.map(Place.init)
        for path in wanted {
            if let path = ReadablePaths.resolved(path) { add(path) }
        }
    }

    private mutating func add(_ path: String) {
        guard !hidden.contains(where: { ReadablePaths.isInside(path, $0.path) }) else { return }
        let within = hidden.filter { ReadablePaths.isInside($0.path, path) }
        // Below a file there is nothing.
        guard !within.isEmpty, ReadablePaths.isFolder(path) else { return paths.append(path) }
        if !within.contains(where: \.isFolder) { listed.append(path) }
        if !within.allSatisfy(\.isFolder) { partial.append(path) }
        for name in ReadablePaths.names(in: path) {
            let entry = path == "/" ? "/\(name)" : "\(path)/\(name)"
            // A link may lead to a hidden place; other targets are allowed under their own names.
            if !ReadablePaths.isLink(entry) { add(entry) }
        }
    }

    /// Whether a path equals a folder or is inside it; both without links.
    static func isInside(_ path: String, _ folder: String) -> Bool {
        path == folder || folder == "/" || path.hasPrefix(folder + "/")
    }

    /// A path with its links resolved, or nil if it does not exist.
    static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Where a path leads, or would if what is missing of it existed.
    static func target(_ path: String, linkCount: Int = 0) -> String {
        if let resolved = resolved(path) { return resolved }
        let end = path.lastIndex(of: "/") ?? path.startIndex
        let name = path[end...].drop { $0 == "/" }
        let folder = path[..<end]
        guard !name.isEmpty else { return folder.isEmpty ? "/" : target(String(folder)) }
        if linkCount < linkCountMax, let link = link(path) {
            let next = link.hasPrefix("/") ? link : "\(folder)/\(link)"
            return target(next, linkCount: linkCount + 1)
        }
        let parent = target(folder.isEmpty ? "/" : String(folder), linkCount: linkCount)
        return parent == "/" ? "/\(name)" : "\(parent)/\(name)"
    }

    /// What a symbolic link contains; nil for anything else.
    private static func link(_ path: String) -> String? {
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            count = buffer.withMemoryRebound(to: CChar.self) { buffer in
                guard let start = buffer.baseAddress else { return 0 }
                return max(0, readlink(path, start, buffer.count))
            }
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFLNK
    }

    /// The names of a folder's entries.
    static func names(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
