// SPDX-License-Identifier: Apache-2.0

/// A delegate that has room for a body: what is received there need not be moved.
protocol ContentReceiver: SessionTaskDelegate {
    /// Where the next octets of content, of which there are `count`, may be received; nil for anywhere. Lent until the delegate is
    /// told of them, which may also be of others, or of none.
    @unsafe func room(for count: Int) -> UnsafeMutableRawBufferPointer?
}
