@testable import Capture
import Foundation
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydStoreTestSupport
import ProxydTestSupport
import Testing

/// The files beside a store whose numbers are one of the ends of all numbers: they are made anew or
/// left alone, and filters find what they would without them.
@Suite struct `The ends of all numbers beside a store` {
    private let searched = SearchedStore()
    private let count = 20
    private var path: String { searched.path }

    init() throws {
        let recorder = try searched.store.recorder()
        for number in 0..<count {
            recorder.recordSample(
                "/needle\(number)?a=\(number)", responseBody: Array("text \(number)".utf8))
        }
        recorder.stop()
    }

    private func buildIndex() throws -> IndexBuilder {
        let builder = IndexBuilder(
            storePath: path, directory: searched.store.directory.path, lagCount: 2)
        while builder.step(runRowCount: 6, lastExchangeID: Int64(count)) {}
        return builder
    }

    /// Nothing reads the file while it is built, as it is with a file that is found at the start.
    private func damageEach(
        _ file: String, _ number: Int64, _ again: () throws -> Void
    ) throws {
        let sound = try Data(contentsOf: URL(fileURLWithPath: file))
        let columns = try NumberColumn.all(in: file)
        #expect(columns.contains { $0.table == "state" })
        for column in columns {
            IndexFile.remove([file])
            try sound.write(to: URL(fileURLWithPath: file))
            try column.set(number, in: file)
            try read()
            try again()
            try read()
        }
    }

    private func read() throws {
        let reader = try searched.store.reader()
        #expect(try searched.find("url~needle7", with: reader).count == 1)
        #expect(try searched.find("body~\"text 19\"", with: reader).count == 1)
        #expect(try searched.find("host=example.test", with: reader).count == count)
        for column in [SortColumn.host, .status, .duration] {
            // Their order is the index's word alone.
            _ = try reader.positions(by: column, isDescending: true, limit: 99)
        }
    }

    @Test(arguments: NumberColumn.extremes)
    func `extreme numbers in the index file do not change what filters find`(number: Int64) throws {
        try buildIndex().close()
        let file = IndexFile.indexPath(besideStore: path)
        try damageEach(file, number) {
            let builder = try buildIndex()
            builder.noteInserted([1, Int64(count)])
            builder.close()
        }
    }

    @Test(arguments: NumberColumn.extremes)
    func `extreme numbers in a search file do not change what filters find`(number: Int64) throws {
        try searched.build(searched.builder(exchangeCountMax: 15))
        #expect(searched.files.numbers == [1, 2])
        try damageEach(searched.files.path(2), number) {
            let builder = searched.builder(exchangeCountMax: 15)
            _ = builder.step(lastExchangeID: Int64(count)) { false }
            builder.noteInserted([1, Int64(count)])
            builder.dropEmptied()
            builder.close()
        }
    }

    @Test(arguments: [Int.max, 1 << 40, 0, -1])
    func `an extreme number in a search file's name does not change what filters find`(number: Int)
        throws
    {
        try searched.build(searched.builder(exchangeCountMax: 15))
        try FileManager.default.moveItem(
            atPath: searched.files.path(2), toPath: searched.files.path(number))
        try read()
        try searched.build(searched.builder(exchangeCountMax: 15))
        try read()
    }

    /// The store has a number that lets the file's pass for its own.
    @Test func `extreme numbers in both store and search file do not change what filters find`()
        throws
    {
        try searched.build(searched.builder(exchangeCountMax: 15))
        try UncheckedDatabase.edit(path, "UPDATE store_state SET last_exchange_id = \(Int64.max)")
        for (first, through) in [(Int64.min, Int64.max), (1, .max), (.max, .max), (.max, .min)] {
            try UncheckedDatabase.edit(
                searched.files.path(1),
                "UPDATE state SET first_id = \(first), through_id = \(through)")
            try read()
        }
        try searched.build(searched.builder(exchangeCountMax: 15))
        try read()
    }
}
