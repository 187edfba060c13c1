# redis_load.awk: commands for redis-cli --pipe, in redis's own protocol. The same in every run.
#
#   -v mode=fill     every key once, with a value of 64..1,024 bytes
#   -v mode=churn    as many keys again, chosen at random, with values of other lengths
#   -v mode=delete   19 keys of 20, in scattered order, and what redis-benchmark has left
#   -v keys=N        number of keys, named as redis-benchmark names them

function value(   length_bytes) {
    length_bytes = 64 + int(rand() * 961)
    return substr(text, 1 + int(rand() * 1024), length_bytes)
}

function set(number,   content) {
    content = value()
    printf "*3\r\n$3\r\nSET\r\n$16\r\nkey:%012d\r\n$%d\r\n%s\r\n", number, length(content), content
}

function del(name) {
    printf "*2\r\n$3\r\nDEL\r\n$%d\r\n%s\r\n", length(name), name
}

BEGIN {
    srand(mode == "fill" ? 1 : 2)
    while (length(text) < 2048)
        text = text sprintf("%c", 97 + int(rand() * 26))
    if (mode == "fill")
        for (i = 0; i < keys; i++) set(i)
    if (mode == "churn")
        for (i = 0; i < keys; i++) set(int(rand() * keys))
    if (mode == "delete") {
        for (i = 0; i < keys; i++) {
            number = i * 7919 % keys
            if (number % 20 != 0) del(sprintf("key:%012d", number))
        }
        del("mylist"); del("myset"); del("myhash"); del("myzset")
    }
}
