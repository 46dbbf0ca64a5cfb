#include "CTernLinux.h"
